package dev.helixbg.daemon.tidy;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/** A page with a text. */
final class TextPage extends Page {
  private final AttributedString heading;
  private final List<AttributedString> text;

  /**
   * @param heading heading in one line
   * @param text paragraphs, which are wrapped to the screen's width
   */
  TextPage(AttributedString heading, List<AttributedString> text) {
    this.heading = heading;
    this.text = List.copyOf(text);
  }

  @Override
  List<AttributedString> top(int columns) {
    return Ink.lines(heading, columns);
  }

  @Override
  List<AttributedString> body(int columns) {
    List<AttributedString> lines = new ArrayList<>();
    text.forEach(part -> lines.addAll(Ink.lines(part, columns)));
    return lines;
  }

  /** Returns the whole page as plain text. */
  List<String> plain() {
    List<String> plain = new ArrayList<>(List.of(heading.toString()));
    text.forEach(part -> plain.add(part.toString()));
    return plain;
  }
}
