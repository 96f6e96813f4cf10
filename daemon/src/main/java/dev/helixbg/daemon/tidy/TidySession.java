package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.ReportedFinding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jline.utils.AttributedString;

/**
 * Deciding about one finding after the other: what is on the screen, and what each key does. It
 * knows no terminal. Nothing is changed but by Enter on a page that says what will be.
 */
final class TidySession {
  private static final List<String> HELP =
      List.of(
          "s  same: one of two notes goes, the other stays; of copies all but one go",
          "o  overtaken: the older one goes",
          "l  link: both stay, one gets a link to the other",
          "m  show the merged text, where there is one",
          "d  dismiss: the finding is wrong or unimportant",
          "n  next, p  previous: nothing is decided",
          "u  undo what was done last in this session",
          "e  one text alone and back; of notes: open the files in $VISUAL or $EDITOR",
          "x  on the page before an act: the other one stays",
          "Up, Down, Page Up, Page Down, Space  scroll",
          "q  quit: what was decided is kept, and the next tidy goes on",
          "",
          "Nothing is changed before you press Enter on a page that says what will be changed.");

  private final ActRun acts;
  private final Ink ink;
  private final Desk desk;
  private final Optional<NotesKb> notes;
  private final Deque<Made> made = new ArrayDeque<>();
  private TidyList list;
  private Page page;
  private String current = "";
  private String message = "";
  private int scroll;
  private int shownLines;
  private int done;
  private int dismissed;
  private boolean isOver;

  /**
   * What was done, and how it is taken back.
   *
   * @param undo calls for helix; none for a decision
   * @param isAct whether notes were changed
   */
  private record Made(
      String id, String words, boolean isAct, List<JsonNode> undo, Optional<Trash.Moved> moved) {}

  TidySession(ActRun acts, Ink ink, Desk desk) throws IOException, InterruptedException {
    this.acts = acts;
    this.ink = ink;
    this.desk = desk;
    this.notes = NotesKb.of(acts.store().kb(), acts.settings().cache());
    this.list = new TidyList(acts, false);
    list.look();
    show(list.first());
  }

  boolean isOver() {
    return isOver;
  }

  int done() {
    return done;
  }

  int dismissed() {
    return dismissed;
  }

  int left() {
    return list.left();
  }

  /** The screen, exactly so many lines. */
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
    String left =
        "%s%d done, %d dismissed"
            .formatted(
                current.isEmpty()
                    ? ""
                    : "%d of %d, "
                        .formatted(list.order().indexOf(current) + 1, list.order().size()),
                done,
                dismissed);
    String right = current.isEmpty() ? "" : current;
    int between = columns - Ink.width(left) - Ink.width(right);
    return AttributedString.join(
        AttributedString.EMPTY,
        ink.bold(left),
        ink.faint(" ".repeat(Math.max(1, between)) + right));
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

  /** Reacts to a key; see {@link Page#key}. */
  void key(String key) throws IOException, InterruptedException {
    message = "";
    try {
      if (!page.key(key) && !scrolls(key)) {
        message = "this key does nothing here; the line below has those that do";
      }
    } catch (Failure e) {
      message = e.getMessage();
    }
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

  private void turnTo(Page next) {
    page = next;
    scroll = 0;
  }

  /** Shows a finding, or that there is none. */
  private void show(Optional<String> id) throws IOException, InterruptedException {
    current = id.orElse("");
    Optional<ReportedFinding> finding = id.flatMap(list::open);
    if (finding.isPresent()) {
      turnTo(new FindingPage(Shown.of(list.findings(), finding.get()), ink, this::onFinding));
      return;
    }
    TidyList others = new TidyList(acts, true);
    others.look();
    boolean noneAtAll = others.left() == 0;
    TextPage end =
        TextPage.of(
            ink.kept(
                noneAtAll
                    ? "Nothing is left to decide."
                    : "Of what the report leads with, nothing is left to decide."),
            List.of(ink.text(done + " done, " + dismissed + " dismissed in this session.")));
    if (!noneAtAll) {
      end.on(
          "a",
          "a",
          "all others",
          () -> {
            list = others;
            show(list.first());
          });
    }
    turnTo(
        end.onlyIf(!made.isEmpty(), () -> end.on("u", "u", "undo", this::undo))
            .on("q", "q", "quit", () -> isOver = true));
  }

  /** Shows the finding at hand as it is now, or the next one where it is gone. */
  private void back() throws IOException, InterruptedException {
    list.look();
    if (list.open(current).isEmpty()) {
      next();
    } else {
      show(Optional.of(current));
    }
  }

  private void next() throws IOException, InterruptedException {
    list.look();
    show(list.next(current, 1));
  }

  private boolean onFinding(String key) throws IOException, InterruptedException {
    Shown shown = ((FindingPage) page).shown();
    if (key.equals("q")) {
      isOver = true;
      return true;
    }
    if (key.equals("?")) {
      turnTo(
          closing(
              TextPage.of(ink.bold("Keys"), HELP.stream().map(ink::text).toList()), this::back));
      return true;
    }
    list.look();
    if (list.open(shown.id()).isEmpty()) {
      next();
      message = "%s was decided elsewhere, or its notes were changed".formatted(shown.id());
      return true;
    }
    switch (key) {
      case "s", "o", "l", "enter" -> {
        if (!shown.ways().containsKey(key.equals("enter") ? "Enter" : key)) {
          return false;
        }
        String as = key.equals("s") ? "same" : key.equals("o") ? "overtaken" : "related";
        confirm(shown, shown.isPair() ? Optional.of(as) : Optional.empty(), Optional.empty());
      }
      case "m" -> {
        if (shown.merged().isEmpty()) {
          return false;
        }
        turnTo(
            closing(
                TextPage.of(
                    ink.bold("The merged text, as the language model proposes it"),
                    List.of(ink.text(shown.merged().get()))),
                this::back));
      }
      case "d" ->
          turnTo(
              new ReasonPage(
                  ink,
                  shown.what() + "\n" + shown.finding().about(),
                  reason -> dismiss(shown, reason),
                  this::back));
      case "n" -> show(list.next(current, 1));
      case "p" -> show(list.next(current, -1));
      case "u" -> undo();
      case "e" -> edit(shown);
      default -> {
        return false;
      }
    }
    return true;
  }

  private static TextPage closing(TextPage text, TextPage.Action back) {
    return text.on("esc", "Esc", "back", back)
        .on("enter", "Enter", "", back)
        .on("q", "q", "", back);
  }

  private void note(String id, String decision, String reason) throws IOException {
    ObjectNode request = Json.object().put("id", id).put("decision", decision);
    list.findings()
        .decide(request.put("by", "person").put("reason", reason), Instant.now(), _ -> {});
    desk.decided();
  }

  private void dismiss(Shown shown, String reason) throws IOException, InterruptedException {
    note(shown.id(), "dismissed", reason);
    list.handled(shown.id());
    dismissed++;
    made.push(
        new Made(
            shown.id(),
            "dismissed: " + shown.finding().about(),
            false,
            List.of(),
            Optional.empty()));
    next();
    message = "Dismissed. u takes it back.";
  }

  /** Plans an act and says what it would change. */
  private void confirm(Shown shown, Optional<String> as, Optional<String> keep)
      throws IOException, InterruptedException {
    ObjectNode request = Json.object().put("id", shown.id());
    as.ifPresent(what -> request.put("as", what));
    keep.ifPresent(side -> request.put("keep", side));
    ObjectNode act = acts.plan(request);
    if (act.has("choose")) { // of two of an unknown age
      confirm(shown, as, Optional.of("b"));
      return;
    }
    ActPage told = new ActPage(ink, shown, act, list.findings());
    TextPage text = told.page(notes.isPresent(), desk.helix());
    if (notes.isPresent()) {
      text.on("e", "e", "edit", () -> edit(shown));
      if (told.copies(notes.get()).isPresent()) {
        List<Path> files = told.copies(notes.get()).get();
        text.on("enter", "Enter", "move to the trash", () -> throwAway(shown, files));
      }
    } else if (act.has("byHand") || desk.helix().isEmpty()) {
      if (!act.has("byHand")) {
        text.on(
            "y",
            "y",
            "copy the calls",
            () -> {
              desk.copy(told.calls());
              message = "The calls are copied, as far as your terminal does that.";
            });
      }
      text.on("enter", "Enter", "I did it: look", () -> lookWhetherDone(shown, told.words()));
    } else {
      text.on("enter", "Enter", "carry it out", () -> carryOut(shown, as, keep, act));
    }
    told.keptSide()
        .ifPresent(
            side ->
                text.on(
                    "x",
                    "x",
                    "keep the other",
                    () -> confirm(shown, as, Optional.of(side.equals("a") ? "b" : "a"))));
    turnTo(text.on("esc", "Esc", "back", this::back).on("q", "q", "", this::back));
  }

  private void carryOut(Shown shown, Optional<String> as, Optional<String> keep, ObjectNode act)
      throws IOException, InterruptedException {
    desk.working("helix is at it");
    ActRun.Outcome outcome =
        Whole.of(
            () -> {
              try (Helix helix = desk.startHelix()) {
                return acts.run(act, helix);
              }
            });
    String words = act.path("do").asText();
    switch (outcome.state()) {
      case DONE -> {
        isDone(shown, words, outcome.undo(), Optional.empty());
        message = "Done: " + words + (outcome.undo().isEmpty() ? "." : ". u takes it back.");
      }
      case STALE -> {
        list.look();
        if (list.open(shown.id()).isEmpty()) {
          next();
        } else {
          confirm(Shown.of(list.findings(), list.open(shown.id()).get()), as, keep);
        }
        message = "Others have written meanwhile; nothing was changed. This is how it is now.";
      }
      case FAILED, UNDONE -> stopped(words, outcome);
    }
  }

  /** What was done, and what is left to do by hand, after a stop. */
  private void stopped(String words, ActRun.Outcome outcome) {
    List<AttributedString> told = new ArrayList<>(List.of(ink.text(outcome.why())));
    if (!outcome.made().isEmpty()) {
      told.add(ink.text("\nhelix has made these calls:"));
      outcome.made().forEach(call -> told.add(ink.text("  " + call)));
    }
    if (!outcome.marks().isEmpty()) {
      told.add(ink.text("\nThese lines are left at the end of notes; take them out by hand:"));
      outcome.marks().forEach(mark -> told.add(ink.text("  " + mark)));
    }
    if (!outcome.undo().isEmpty()) {
      told.add(ink.text("\nThese calls bring the texts back:"));
      outcome.undo().forEach(call -> told.add(ink.text("  " + call)));
    }
    String what = outcome.made().isEmpty() ? "Nothing was changed: " : "Stopped in the middle: ";
    turnTo(closing(TextPage.of(ink.gone(what + words), told), this::back));
  }

  private void isDone(Shown shown, String words, List<JsonNode> undo, Optional<Trash.Moved> moved)
      throws IOException, InterruptedException {
    list.handled(shown.id());
    done++;
    made.push(new Made(shown.id(), words, true, undo, moved));
    desk.decided();
    next();
  }

  /** Whether somebody else has carried it out. */
  private void lookWhetherDone(Shown shown, String words) throws IOException, InterruptedException {
    list.look();
    Optional<String> missing = list.findings().present().notDone(shown.finding());
    if (missing.isPresent()) {
      message = "Not done yet: " + missing.get();
      return;
    }
    note(shown.id(), "done", "");
    isDone(shown, words, List.of(), Optional.empty());
    message = "It is done, and noted.";
  }

  private void edit(Shown shown) throws IOException, InterruptedException {
    Path folder = notes.orElseThrow().notes();
    List<Path> files =
        shown.entries().stream()
            .flatMap(one -> one.entry().note().stream())
            .distinct()
            .map(folder::resolve)
            .toList();
    Optional<String> wrong = desk.edit(files);
    if (wrong.isPresent()) {
      message = wrong.get();
      return;
    }
    afterEdit(shown, Optional.empty());
    if (message.isEmpty()) {
      message = "The finding is gone, and noted as done.";
    }
  }

  /** Looks whether the finding is gone from the notes. */
  private void afterEdit(Shown shown, Optional<Trash.Moved> moved)
      throws IOException, InterruptedException {
    desk.working("reading the notes");
    notes.orElseThrow().refresh(_ -> {});
    list.look();
    Optional<String> missing = list.findings().present().notDone(shown.finding());
    if (missing.isPresent()) {
      back();
      message = "The finding is still there: " + missing.get();
      return;
    }
    note(shown.id(), "done", "");
    isDone(shown, "edited: " + shown.finding().about(), List.of(), moved);
  }

  private void throwAway(Shown shown, List<Path> files) throws IOException, InterruptedException {
    Trash.Moved last = null;
    for (Path file : files) {
      try {
        last = desk.trash().move(file, LocalDateTime.now());
      } catch (IOException e) {
        back();
        message = "cannot move " + file + " to the trash: " + Failure.reason(e);
        return;
      }
    }
    afterEdit(shown, files.size() == 1 ? Optional.ofNullable(last) : Optional.empty());
    if (message.isEmpty()) {
      message = "Moved to the trash, and noted as done.";
    }
  }

  /** Says what would be taken back. */
  private void undo() {
    if (made.isEmpty()) {
      message = "nothing was done in this session";
      return;
    }
    Made last = made.peek();
    boolean byHelix = last.isAct() && !last.undo().isEmpty() && desk.helix().isPresent();
    boolean possible = !last.isAct() || byHelix || last.moved().isPresent();
    List<AttributedString> told = new ArrayList<>(List.of(ink.text(last.words())));
    if (byHelix) {
      told.add(ink.text("\nhelix is asked to bring the texts back, at the end of their topics:"));
      last.undo().forEach(call -> told.add(ink.text("  " + call.at("/arguments/text").asText())));
    } else if (last.moved().isPresent()) {
      told.add(ink.text("\nThe file comes back: " + last.moved().get().from()));
    } else if (last.isAct()) {
      told.add(ink.text("\nNo call of helix takes this back: change the notes by hand."));
    } else {
      told.add(ink.text("\nThe report has the finding again. No note is changed."));
    }
    TextPage text = TextPage.of(ink.warning("Take this back?"), told);
    if (possible) {
      text.on("enter", "Enter", "take it back", () -> takeBack(last));
    }
    turnTo(text.on("esc", "Esc", "back", this::back).on("q", "q", "", this::back));
  }

  private void takeBack(Made last) throws IOException, InterruptedException {
    if (!last.undo().isEmpty()) {
      desk.working("helix is at it");
      ActRun.Outcome outcome =
          Whole.of(
              () -> {
                try (Helix helix = desk.startHelix()) {
                  return acts.takeBack(last.id(), last.undo(), helix);
                }
              });
      if (outcome.state() != ActRun.State.DONE) {
        stopped("take back: " + last.words(), outcome);
        return;
      }
    } else {
      if (last.moved().isPresent()) {
        try {
          last.moved().get().putBack();
        } catch (IOException e) {
          message = "cannot put the file back: " + Failure.reason(e);
          return;
        }
        notes.orElseThrow().refresh(_ -> {});
        list.look();
      }
      note(last.id(), "open", "");
    }
    made.pop();
    done -= last.isAct() ? 1 : 0;
    dismissed -= last.isAct() ? 0 : 1;
    current = last.id();
    back();
    message = "Taken back: " + last.words();
  }
}
