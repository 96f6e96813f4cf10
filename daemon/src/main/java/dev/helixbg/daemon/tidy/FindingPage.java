package dev.helixbg.daemon.tidy;

import dev.helixbg.insight.findings.NamedEntry;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

final class FindingPage extends Page {
  private static final int WIDE = 100;

  final Shown shown;
  private final Ink ink;

  private int alone = -1;

  FindingPage(Shown shown, Ink ink) {
    this.shown = shown;
    this.ink = ink;
  }

  @Override
  List<AttributedString> top(int columns) {
    List<AttributedString> top = new ArrayList<>(Ink.lines(ink.warning(shown.what()), columns));
    if (!shown.why().isEmpty()) {
      top.addAll(Ink.lines(ink.text("Why: " + shown.why()), columns));
    }
    return top;
  }

  @Override
  List<AttributedString> body(int columns) {
    List<NamedEntry> entries = shown.entries();
    if (entries.isEmpty()) {
      return Ink.lines(ink.text(shown.finding().about()), columns);
    }
    if (alone >= 0) {
      return side(alone, columns);
    }
    if (shown.isPair() && columns >= WIDE) {
      int half = Ink.half(columns);
      return Ink.beside(side(0, half), side(1, half), columns);
    }
    List<AttributedString> lines = new ArrayList<>();
    boolean copies = shown.finding().section().equals("copies");
    for (int i = 0; i < entries.size(); i++) {
      if (i > 0) {
        lines.add(ink.rule(columns, ""));
      }
      lines.addAll(copies && i < entries.size() - 1 ? head(i, columns) : side(i, columns));
    }
    return lines;
  }

  private List<AttributedString> head(int place, int columns) {
    NamedEntry entry = shown.entries().get(place);
    String letter = !shown.isPair() ? "" : place == 0 ? "A  " : "B  ";
    List<AttributedString> lines = new ArrayList<>();
    if (Shown.hasHeading(entry)) {
      lines.addAll(Ink.lines(ink.bold(letter + entry.title()), columns));
      letter = "";
    }
    lines.addAll(
        Ink.lines(
            AttributedString.join(
                AttributedString.EMPTY, ink.bold(letter), ink.faint(Shown.about(entry))),
            columns));
    return lines;
  }

  private List<AttributedString> side(int place, int columns) {
    List<AttributedString> lines = head(place, columns);
    String text = content(place);
    lines.add(AttributedString.EMPTY);
    lines.addAll(
        Ink.lines(shown.isPair() ? ink.marked(text, content(1 - place)) : ink.text(text), columns));
    return lines;
  }

  private String content(int place) {
    return Shown.content(shown.entries().get(place));
  }

  boolean isOfNotes() {
    return shown.entries().stream().anyMatch(one -> one.entry().note().isPresent());
  }

  void turn() {
    alone = alone + 1 == shown.entries().size() ? -1 : alone + 1;
  }
}
