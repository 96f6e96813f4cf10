package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.NamedEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;

/** Screen and keys of a session. No note changes before Enter on a page that lists the changes. */
final class TidySession {
  private static final String HELP =
      """
      s  same: delete one of two notes; of copies, delete all except one
      o  overtaken: delete the older note
      l  link: keep both notes, and add a link to one of them
      m  show the merged text, if there is one
      d  dismiss: the finding is wrong or unimportant
      n  next, p  previous: nothing is decided
      u  undo the last act or decision of this session
      e  show one text at a time, then all texts; for notes: open the files in $VISUAL or $EDITOR
      x  on the page before an act: keep the other note
      Up, Down, Page Up, Page Down, Space  scroll
      q  quit: decisions are kept, and the next 'helix-bg tidy' continues from there

      Nothing is changed before you press Enter on a page that lists the changes.\
      """;

  private final Ink ink;
  private final TidyActs acts;
  private final TidyList list;
  private Page page;
  private String current = "";
  private String message = "";

  /** The page about an act that stopped halfway, until the user presses a key. */
  private List<String> halfDone = List.of();

  private int scroll;
  private int shownLines;
  private boolean isOver;

  /** Begins a session; {@link TidyList#look} must have been called on the list. */
  TidySession(TidyList list, ActRun runs, Ink ink, Desk desk)
      throws IOException, InterruptedException {
    this.list = list;
    this.ink = ink;
    this.acts = new TidyActs(this, list, runs, ink, desk);
    show(list.next(current, 1));
    String marked =
        list.findings().present().entries().marked().stream()
            .map(NamedEntry::name)
            .collect(Collectors.joining(", "));
    if (!marked.isEmpty()) {
      message =
          "An act was interrupted. Its line (helix-bg: …) is still at the end of %s; the text above it"
                  .formatted(marked)
              + " is complete. Remove the line by hand";
    }
  }

  boolean isOver() {
    return isOver;
  }

  TidyTerminal.Summary summary(boolean isInterrupted) {
    return new TidyTerminal.Summary(
        acts.done(), acts.dismissed(), list.left(), isInterrupted, halfDone);
  }

  /** Renders the screen with exactly {@code rows} lines. */
  List<AttributedString> screen(int columns, int rows) {
    List<AttributedString> above = new ArrayList<>(List.of(header(columns)));
    above.addAll(page.top(columns));
    List<AttributedString> below = new ArrayList<>();
    if (!message.isEmpty()) {
      below.addAll(Ink.lines(ink.warning(message), columns));
    }
    below.addAll(hints(columns));
    int most = Math.max(1, rows / 3);
    cut(above, most);
    cut(below, most);
    List<AttributedString> body = page.body(columns);
    shownLines = Math.max(1, rows - above.size() - below.size() - 2);
    scroll = Math.clamp(scroll, 0, Math.max(0, body.size() - shownLines));
    int end = Math.min(body.size(), scroll + shownLines);
    List<AttributedString> screen = new ArrayList<>(above);
    screen.add(ink.rule(columns, scroll > 0 ? scroll + " lines above" : ""));
    screen.addAll(body.subList(scroll, end));
    while (screen.size() < rows - below.size() - 1) {
      screen.add(AttributedString.EMPTY);
    }
    int more = body.size() - end;
    screen.add(ink.rule(columns, more > 0 ? more + " more lines: Space" : ""));
    screen.addAll(below);
    cut(screen, rows);
    screen.replaceAll(line -> Ink.cut(line, columns));
    return screen;
  }

  private static void cut(List<AttributedString> lines, int most) {
    while (lines.size() > most) {
      lines.removeLast();
    }
  }

  private AttributedString header(int columns) {
    int place = list.order().indexOf(current) + 1;
    String left =
        (current.isEmpty() ? "" : "%d of %d, ".formatted(place, list.order().size())) + counts();
    int between = columns - Ink.width(left) - Ink.width(current);
    return AttributedString.join(
        AttributedString.EMPTY,
        ink.bold(left),
        ink.faint(" ".repeat(Math.max(1, between)) + current));
  }

  private String counts() {
    return "%d done, %d dismissed".formatted(acts.done(), acts.dismissed());
  }

  private List<AttributedString> hints(int columns) {
    List<AttributedString> lines = new ArrayList<>();
    List<AttributedString> line = new ArrayList<>();
    int used = 0;
    for (var hint : page.hints().entrySet()) {
      AttributedString shown = ink.hint(hint.getKey(), hint.getValue());
      int width = shown.columnLength() + 2;
      if (used + width > columns && !line.isEmpty()) {
        lines.add(AttributedString.join(ink.text("  "), line));
        line.clear();
        used = 0;
      }
      line.add(shown);
      used += width;
    }
    lines.add(AttributedString.join(ink.text("  "), line));
    return lines;
  }

  void turnToHalfDone(TextPage stopped) {
    turnTo(closing(stopped));
    halfDone = stopped.plain();
  }

  void key(String key) throws IOException, InterruptedException {
    message = "";
    halfDone = List.of();
    try {
      if (!page.key(key) && !scrolls(key)) {
        message = "this key does nothing here; the line below lists the valid keys";
      }
    } catch (Failure e) {
      message = e.getMessage();
    }
  }

  /** Shows a message above the list of keys, until the user presses the next key. */
  void say(String words) {
    message = words;
  }

  private boolean scrolls(String key) {
    int by =
        switch (key) {
          case "up" -> -1;
          case "down" -> 1;
          case "pgup" -> -shownLines;
          case "pgdn", " " -> shownLines;
          case "home" -> -1_000_000;
          case "end" -> 1_000_000;
          default -> 0;
        };
    scroll += by;
    return by != 0;
  }

  void turnTo(Page next) {
    page = next;
    scroll = 0;
  }

  private void show(Optional<String> id) throws IOException, InterruptedException {
    current = id.orElse("");
    Optional<ReportedFinding> finding = id.flatMap(list::open);
    if (finding.isPresent()) {
      turnTo(page(list.shown(finding.get())));
      return;
    }
    boolean noneAtAll = !list.hasMore();
    Page end =
        new TextPage(
            ink.kept(
                noneAtAll
                    ? "Nothing is left to decide."
                    : "There are no leading findings left to decide."),
            List.of(ink.text(counts() + " in this session.")));
    if (!noneAtAll) {
      end.on(
          "a",
          "all other findings",
          () -> {
            list.addAll();
            show(list.next(current, 1));
          });
    }
    if (acts.done() + acts.dismissed() > 0) {
      end.on("u", "undo", acts::undo);
    }
    turnTo(end.on("q", "quit", () -> isOver = true));
  }

  /** Shows the current finding again, or the next finding if the current finding is gone. */
  void back() throws IOException, InterruptedException {
    list.look();
    if (list.open(current).isEmpty()) {
      next();
    } else {
      show(Optional.of(current));
    }
  }

  void backTo(String id) throws IOException, InterruptedException {
    current = id;
    back();
  }

  void next() throws IOException, InterruptedException {
    list.look();
    show(list.next(current, 1));
  }

  private Page page(Shown shown) {
    FindingPage found = new FindingPage(shown, ink);
    shown.ways().forEach((key, words) -> whileOpen(found, key, words, () -> act(shown, key)));
    String heading = "The merged text, as the language model proposes it";
    shown
        .merged()
        .ifPresent(text -> whileOpen(found, "m", "merged text", () -> tell(heading, text)));
    whileOpen(found, "d", "dismiss", () -> turnTo(dismissal(shown)));
    whileOpen(found, "n", "next", () -> show(list.next(current, 1)));
    whileOpen(found, "p", "previous", () -> show(list.next(current, -1)));
    whileOpen(found, "u", "undo", acts::undo);
    if (found.isOfNotes()) {
      whileOpen(found, "e", "edit", () -> acts.edit(shown));
    } else if (shown.entries().size() > 1) {
      found.on("e", "one text", found::turn);
    }
    found.on("?", "help", () -> tell("Keys", HELP));
    return found.on("q", "quit", () -> isOver = true);
  }

  private void act(Shown shown, String key) throws IOException, InterruptedException {
    ObjectNode request = Json.object().put("id", shown.id());
    if (shown.isPair()) {
      request.put("as", key.equals("s") ? "same" : key.equals("o") ? "overtaken" : "related");
    }
    acts.confirm(shown, request);
  }

  private void tell(String heading, String text) {
    turnTo(closing(new TextPage(ink.bold(heading), List.of(ink.text(text)))));
  }

  private Page dismissal(Shown shown) {
    ReasonPage asked = new ReasonPage(ink, shown.what() + "\n" + shown.finding().about());
    return asked
        .on("enter", "dismiss", () -> acts.dismiss(shown, asked.reason()))
        .on("esc", "back", this::back);
  }

  /** Adds a key. If the page's finding is no longer open, the key only shows the next finding. */
  private void whileOpen(FindingPage found, String key, String words, Page.Action action) {
    found.on(
        key,
        words,
        () -> {
          list.look();
          if (list.open(found.shown.id()).isPresent()) {
            action.run();
            return;
          }
          next();
          message =
              "%s was decided by another program, or its notes were changed"
                  .formatted(found.shown.id());
        });
  }

  private Page closing(Page text) {
    return text.on("esc", "back", this::back).on("enter", "", this::back).on("q", "", this::back);
  }
}
