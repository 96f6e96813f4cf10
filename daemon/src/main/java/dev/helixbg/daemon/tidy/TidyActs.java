package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.FileEdit;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jline.utils.AttributedString;

/**
 * The part of a session that changes notes or decisions: the page before an act, the act, its
 * outcome and its undo.
 */
final class TidyActs {
  /** Field of an act with the state of the whole log. */
  private static final String LOG = "log";

  /** Allowance for notes that were read before the session, and for coarse file times. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private final TidySession session;
  private final ActRun acts;
  private final Ink ink;
  private final Desk desk;
  private final Optional<NotesKb> notes;
  private final Optional<NoteRun> files;
  private final Deque<Made> made = new ArrayDeque<>();

  /** The files of the notes at the last read. */
  private NoteFiles found;

  /** Time of the last read of the notes. */
  private Instant read = Instant.now();

  private int done;
  private int dismissed;

  /**
   * A decision or a finished act, with the calls that reverse it.
   *
   * @param isAct whether notes were changed
   * @param undo calls for helix; empty for a decision
   * @param moved files that are in the trash
   * @param edits edits of memory files
   */
  private record Made(
      String id,
      String words,
      boolean isAct,
      List<JsonNode> undo,
      List<Trash.Moved> moved,
      List<FileEdit> edits) {}

  TidyActs(TidySession session, ActRun acts, Ink ink, Desk desk) throws IOException {
    this.session = session;
    this.acts = acts;
    this.ink = ink;
    this.desk = desk;
    this.notes = NotesKb.of(acts.store().kb(), acts.settings());
    this.files = notes.map(one -> new NoteRun(acts, one));
    if (files.isPresent()) {
      files.get().clear();
    }
  }

  int done() {
    return done;
  }

  int dismissed() {
    return dismissed;
  }

  /** Whether an act or decision can be reversed. */
  boolean hasMade() {
    return !made.isEmpty();
  }

  private void note(String id, String decision, String reason) throws IOException {
    ActRun.note(session.list().findings(), id, decision, reason);
    desk.decided();
  }

  void dismiss(Shown shown, String reason) throws IOException, InterruptedException {
    note(shown.id(), "dismissed", reason);
    session.list().handled(shown.id());
    dismissed++;
    made.push(
        new Made(
            shown.id(),
            "dismissed: " + shown.finding().about(),
            false,
            List.of(),
            List.of(),
            List.of()));
    session.next();
    session.say("Dismissed. u takes it back.");
  }

  /** Plans an act and shows its changes. */
  void confirm(Shown shown, Optional<String> as, Optional<String> keep)
      throws IOException, InterruptedException {
    if (shown.entries().isEmpty() || shown.entries().stream().anyMatch(this::hasChanged)) {
      refresh();
    }
    session.list().look();
    ObjectNode act = plan(shown, as, keep);
    if (act.has("choose")) { // two entries of unknown age
      confirm(shown, as, Optional.of("b"));
      return;
    }
    ActPage told = new ActPage(ink, shown, act, session.list().findings());
    Page text = told.page(notes.isPresent(), desk.helix());
    if (notes.isPresent()) {
      text.on("e", "edit", () -> edit(shown));
      if (!act.path("edits").isEmpty()) {
        text.on("enter", "carry it out", () -> carryOut(shown, as, keep, act));
      }
      if (!told.copies().isEmpty()) {
        text.on(
            "enter",
            "move to the trash",
            () -> {
              if (isStill(shown, as, keep, act)) {
                throwAway(shown, filesOf(told.copies(), found));
              }
            });
      }
    } else if (act.has("byHand") || desk.helix().isEmpty()) {
      if (!act.has("byHand")) {
        text.on(
            "y",
            "copy the calls",
            () -> {
              desk.copy(told.calls());
              session.say("The calls are copied, as far as your terminal does that.");
            });
      }
      text.on("enter", "I did it: look", () -> lookWhetherDone(shown, told.words()));
    } else {
      text.on("enter", "carry it out", () -> carryOut(shown, as, keep, act));
    }
    told.keptSide()
        .ifPresent(
            side ->
                text.on(
                    "x",
                    "keep the other",
                    () -> confirm(shown, as, Optional.of(side.equals("a") ? "b" : "a"))));
    session.turnTo(text.on("esc", "back", session::back).on("q", "", session::back));
  }

  private ObjectNode plan(Shown shown, Optional<String> as, Optional<String> keep)
      throws IOException, InterruptedException {
    ObjectNode request = Json.object().put("id", shown.id());
    as.ifPresent(what -> request.put("as", what));
    keep.ifPresent(side -> request.put("keep", side));
    return session.list().act(shown.finding(), request);
  }

  /** Whether an act still equals its page. If it differs, the page is shown again. */
  private boolean isStill(Shown shown, Optional<String> as, Optional<String> keep, ObjectNode act)
      throws IOException, InterruptedException {
    refresh();
    session.list().look();
    ObjectNode now = plan(shown, as, keep);
    if (now.without(LOG).equals(act.deepCopy().without(LOG))) {
      return true;
    }
    confirm(shown, as, keep);
    session.say("The notes have changed meanwhile: nothing was moved.");
    return false;
  }

  private void carryOut(Shown shown, Optional<String> as, Optional<String> keep, ObjectNode act)
      throws IOException, InterruptedException {
    List<FileEdit> edits = NoteRun.edits(act);
    desk.working(edits.isEmpty() ? "helix is at it" : "changing the files");
    ActRun.Outcome outcome = edits.isEmpty() ? byHelix(act) : files.orElseThrow().run(act);
    String words = act.path("do").asText();
    switch (outcome.state()) {
      case DONE -> {
        boolean isFinal = outcome.undo().isEmpty() && edits.isEmpty();
        isDone(shown, words, outcome.undo(), List.of(), edits);
        session.say("Done: " + words + (isFinal ? "." : ". u takes it back."));
      }
      case STALE -> {
        refresh();
        session.list().look();
        if (session.list().open(shown.id()).isEmpty()) {
          session.next();
        } else {
          confirm(session.list().shown(session.list().open(shown.id()).get()), as, keep);
        }
        session.say("Others have written meanwhile; nothing was changed. This is how it is now.");
      }
      case FAILED, UNDONE -> stopped(words, outcome);
    }
  }

  private ActRun.Outcome byHelix(ObjectNode act) throws IOException, InterruptedException {
    try (Helix helix = desk.startHelix()) {
      return acts.run(act, helix);
    }
  }

  /** Reads changed notes. */
  private void refresh() {
    Instant now = Instant.now();
    notes.ifPresent(
        one -> {
          found = one.look();
          if (!one.isMadeOf(found)) {
            one.update(found);
          }
        });
    read = now;
  }

  /** Whether the file of an entry may have changed since the notes were read. */
  private boolean hasChanged(NamedEntry entry) {
    Optional<String> file = entry.entry().note();
    try {
      return notes.isPresent()
          && file.isPresent()
          && FileState.of(notes.get().notes().resolve(file.get()))
              .changed()
              .toInstant()
              .isAfter(read.minus(MARGIN));
    } catch (IOException e) {
      return true;
    }
  }

  /** Shows what a stopped act has done, and what the user has to do by hand. */
  private void stopped(String words, ActRun.Outcome outcome) {
    List<AttributedString> told = new ArrayList<>(List.of(ink.text(outcome.why())));
    list(told, "This was done:", outcome.made());
    list(told, "These lines are left at the end of notes; take them out by hand:", outcome.marks());
    list(told, "These calls bring the texts back:", outcome.undo());
    String what = outcome.made().isEmpty() ? "Nothing was changed: " : "Stopped in the middle: ";
    session.turnToHalfDone(new TextPage(ink.gone(what + words), told));
  }

  private void list(List<AttributedString> told, String heading, List<?> lines) {
    if (!lines.isEmpty()) {
      told.add(ink.text("\n" + heading));
      lines.forEach(line -> told.add(ink.text("  " + line)));
    }
  }

  private void isDone(
      Shown shown, String words, List<JsonNode> undo, List<Trash.Moved> moved, List<FileEdit> edits)
      throws IOException, InterruptedException {
    session.list().handled(shown.id());
    done++;
    made.push(new Made(shown.id(), words, true, undo, moved, edits));
    desk.decided();
    session.next();
  }

  /** Checks whether the user or another program has carried out the act. */
  private void lookWhetherDone(Shown shown, String words) throws IOException, InterruptedException {
    session.list().look();
    Optional<String> missing = ActRun.noteIfDone(session.list().findings(), shown.finding());
    if (missing.isPresent()) {
      session.say("Not done yet: " + missing.get());
      return;
    }
    isDone(shown, words, List.of(), List.of(), List.of());
    session.say("It is done, and noted.");
  }

  void edit(Shown shown) throws IOException, InterruptedException {
    Optional<String> wrong = desk.edit(filesOf(shown.entries(), notes.orElseThrow().look()));
    if (wrong.isPresent()) {
      session.say(wrong.get());
      return;
    }
    if (isGoneAfterEdit(shown, List.of())) {
      session.say("The finding is gone, and noted as done.");
    }
  }

  /** Returns the present paths of the files that the entries were made of. */
  private static List<Path> filesOf(List<NamedEntry> entries, NoteFiles found) {
    return entries.stream()
        .flatMap(one -> one.entry().note().stream())
        .distinct()
        .flatMap(path -> found.file(path).stream())
        .toList();
  }

  /** Checks whether the finding is gone from the notes. */
  private boolean isGoneAfterEdit(Shown shown, List<Trash.Moved> moved)
      throws IOException, InterruptedException {
    desk.working("reading the notes");
    refresh();
    session.list().look();
    Optional<String> missing = ActRun.noteIfDone(session.list().findings(), shown.finding());
    if (missing.isPresent()) {
      session.back();
      session.say("The finding is still there: " + missing.get());
      return false;
    }
    isDone(shown, "edited: " + shown.finding().about(), List.of(), moved, List.of());
    return true;
  }

  private void throwAway(Shown shown, List<Path> files) throws IOException, InterruptedException {
    List<Trash.Moved> moved = new ArrayList<>();
    try {
      for (Path file : files) {
        moved.add(desk.trash().move(file, LocalDateTime.now()));
      }
    } catch (IOException e) {
      String why =
          "cannot move %s to the trash: %s".formatted(files.get(moved.size()), Failure.reason(e));
      String then = putBack(moved).map(wrong -> "; " + wrong).orElse("; nothing was moved");
      session.back();
      session.say(why + then);
      return;
    }
    if (isGoneAfterEdit(shown, moved)) {
      session.say("Moved to the trash, and noted as done.");
    }
  }

  /**
   * Puts files back, and removes each from the list.
   *
   * @return error of the first file that cannot be put back; empty if all are back
   */
  private static Optional<String> putBack(List<Trash.Moved> moved) {
    while (!moved.isEmpty()) {
      try {
        moved.getLast().putBack();
      } catch (IOException e) {
        return Optional.of(
            "cannot put %s back: %s".formatted(moved.getLast().from(), Failure.reason(e)));
      }
      moved.removeLast();
    }
    return Optional.empty();
  }

  /** Shows what an undo would change. */
  void undo() {
    if (made.isEmpty()) {
      session.say("nothing was done in this session");
      return;
    }
    Made last = made.peek();
    boolean byHelix = last.isAct() && !last.undo().isEmpty() && desk.helix().isPresent();
    boolean possible =
        !last.isAct() || byHelix || !last.moved().isEmpty() || !last.edits().isEmpty();
    List<AttributedString> told = new ArrayList<>(List.of(ink.text(last.words())));
    if (byHelix) {
      list(
          told,
          "helix is asked to bring the texts back, at the end of their topics:",
          last.undo().stream().map(call -> call.at("/arguments/text").asText()).toList());
    } else if (!last.edits().isEmpty()) {
      list(
          told,
          "The text comes back to where it was:",
          last.edits().stream().map(FileEdit::file).toList());
    } else if (!last.moved().isEmpty()) {
      list(
          told,
          "Out of the trash come back:",
          last.moved().stream().map(Trash.Moved::from).toList());
    } else {
      told.add(
          ink.text(
              last.isAct()
                  ? "\nNo call of helix takes this back: change the notes by hand."
                  : "\nThe report has the finding again. No note is changed."));
    }
    Page text = new TextPage(ink.warning("Take this back?"), told);
    if (possible) {
      text.on("enter", "take it back", () -> takeBack(last));
    }
    session.turnTo(text.on("esc", "back", session::back).on("q", "", session::back));
  }

  private void takeBack(Made last) throws IOException, InterruptedException {
    if (!last.undo().isEmpty() || !last.edits().isEmpty()) {
      desk.working(last.edits().isEmpty() ? "helix is at it" : "changing the files");
      ActRun.Outcome outcome = takenBack(last);
      if (outcome.state() != ActRun.State.DONE) {
        stopped("take back: " + last.words(), outcome);
        return;
      }
    } else {
      if (!last.moved().isEmpty()) {
        Optional<String> wrong = putBack(last.moved());
        if (wrong.isPresent()) {
          session.say(wrong.get());
          return;
        }
        refresh();
        session.list().look();
      }
      note(last.id(), "open", "");
    }
    made.pop();
    done -= last.isAct() ? 1 : 0;
    dismissed -= last.isAct() ? 0 : 1;
    session.backTo(last.id());
    session.say("Taken back: " + last.words());
  }

  private ActRun.Outcome takenBack(Made last) throws IOException, InterruptedException {
    if (!last.edits().isEmpty()) {
      return files.orElseThrow().takeBack(last.id());
    }
    try (Helix helix = desk.startHelix()) {
      return acts.takeBack(last.id(), last.undo(), helix);
    }
  }
}
