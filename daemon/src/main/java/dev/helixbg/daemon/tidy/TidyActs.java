package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.insight.acts.FileEdit;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jline.utils.AttributedString;

/** Carries out and undoes the acts and decisions of a session, but first shows them on a page. */
final class TidyActs {
  private final TidySession session;
  private final TidyList list;
  private final ActRun acts;
  private final Ink ink;
  private final Desk desk;
  private final Optional<NotesKb> notes;
  private final Optional<NoteRun> files;
  private final Deque<Made> made = new ArrayDeque<>();

  private record Made(
      String id,
      String words,
      boolean isAct,
      List<JsonNode> undo,
      List<Trash.Moved> moved,
      List<FileEdit> edits) {}

  TidyActs(TidySession session, TidyList list, ActRun acts, Ink ink, Desk desk) {
    this.session = session;
    this.list = list;
    this.acts = acts;
    this.ink = ink;
    this.desk = desk;
    this.notes = NotesKb.of(acts.store().kb(), acts.settings());
    this.files = notes.map(one -> new NoteRun(acts, one));
  }

  int done() {
    return (int) made.stream().filter(Made::isAct).count();
  }

  int dismissed() {
    return made.size() - done();
  }

  void dismiss(Shown shown, String reason) throws IOException, InterruptedException {
    ActRun.note(list.findings(), shown.id(), "dismissed", reason);
    String words = "dismissed: " + shown.finding().about();
    finish(new Made(shown.id(), words, false, List.of(), List.of(), List.of()));
    session.say("Dismissed. To undo this, press u.");
  }

  void confirm(Shown shown, ObjectNode request) throws IOException, InterruptedException {
    lookAtAll();
    ObjectNode act = list.act(shown.finding(), request);
    if (act.has("choose")) { // it is unknown which entry is older
      confirm(shown, request.deepCopy().put("keep", "b"));
      return;
    }
    ActPage told = new ActPage(ink, shown, act, list.findings());
    Page text = told.page(notes.isPresent(), desk.helix());
    boolean canGo = !told.copies().isEmpty() && act.path("losses").isEmpty();
    if (notes.isPresent()) {
      text.on("e", "edit", () -> edit(shown));
      if (!act.path("edits").isEmpty()) {
        text.on("enter", "carry it out", () -> carryOut(shown, request, act));
      }
      if (canGo) {
        text.on("enter", "move to the trash", () -> throwAway(shown, request, act, told));
      }
    } else if (act.has("byHand") || desk.helix().isEmpty()) {
      if (!act.has("byHand")) {
        text.on(
            "y",
            "copy the calls",
            () -> {
              desk.copy(told.calls());
              session.say(
                  "The calls are in the clipboard, if your terminal gives programs access to it.");
            });
      }
      text.on("enter", "check: I have made the edit", () -> lookWhetherDone(shown, told.words()));
    } else {
      text.on("enter", "carry it out", () -> carryOut(shown, request, act));
    }
    told.removedSide()
        .map(side -> request.deepCopy().put("keep", side))
        .ifPresent(other -> text.on("x", "keep the other note", () -> confirm(shown, other)));
    session.turnTo(text.on("esc", "back", session::back).on("q", "", session::back));
  }

  private void carryOut(Shown shown, ObjectNode request, ObjectNode act)
      throws IOException, InterruptedException {
    List<FileEdit> edits = NoteRun.edits(act);
    desk.working(edits.isEmpty() ? "helix is working" : "changing the files");
    ActRun.Outcome outcome = edits.isEmpty() ? byHelix(act) : files.orElseThrow().run(request, act);
    String words = act.path("do").asText();
    switch (outcome.state()) {
      case DONE -> {
        boolean isFinal = outcome.undo().isEmpty() && edits.isEmpty();
        finish(new Made(shown.id(), words, true, outcome.undo(), List.of(), edits));
        session.say("Done: " + words + (isFinal ? "." : ". To undo this, press u."));
      }
      case STALE -> {
        lookAtAll();
        Optional<ReportedFinding> open = list.open(shown.id());
        if (open.isPresent()) {
          confirm(list.shown(open.get()), request);
        } else {
          session.next();
        }
        session.say(
            "Another program has changed the notes in the meantime, so helix-bg changed nothing."
                + " The page shows the new state.");
      }
      case FAILED, UNDONE -> stopped(words, outcome);
    }
  }

  private ActRun.Outcome byHelix(ObjectNode act) throws IOException, InterruptedException {
    try (Helix helix = desk.startHelix()) {
      return acts.run(act, helix);
    }
  }

  private void lookAtAll() throws IOException, InterruptedException {
    notes.ifPresent(NotesKb::refresh);
    list.look();
  }

  private void stopped(String words, ActRun.Outcome outcome) {
    List<AttributedString> told = new ArrayList<>(List.of(ink.text(outcome.why())));
    tell(told, "This was done:", outcome.made());
    tell(told, "These lines are still at the end of notes; remove them by hand:", outcome.marks());
    tell(told, "These calls restore the texts:", outcome.undo());
    String what = outcome.made().isEmpty() ? "Nothing was changed: " : "Stopped in the middle: ";
    session.turnToHalfDone(new TextPage(ink.gone(what + words), told));
  }

  private void tell(List<AttributedString> told, String heading, List<?> lines) {
    if (!lines.isEmpty()) {
      told.add(ink.text("\n" + heading));
      lines.forEach(line -> told.add(ink.text("  " + line)));
    }
  }

  private void finish(Made now) throws IOException, InterruptedException {
    list.handled(now.id());
    made.push(now);
    desk.decided();
    session.next();
  }

  private void lookWhetherDone(Shown shown, String words) throws IOException, InterruptedException {
    list.look();
    Optional<String> missing = ActRun.noteIfDone(list.findings(), shown.finding());
    if (missing.isPresent()) {
      session.say("Not done yet: " + missing.get());
      return;
    }
    finish(new Made(shown.id(), words, true, List.of(), List.of(), List.of()));
    session.say("The edit is made, and recorded as done.");
  }

  void edit(Shown shown) throws IOException, InterruptedException {
    Optional<String> wrong = desk.edit(filesOf(shown.entries(), notes.orElseThrow().look()));
    if (wrong.isPresent()) {
      session.say(wrong.get());
      return;
    }
    afterEdit(shown, List.of(), "The finding no longer applies; it is recorded as done.");
  }

  private static List<Path> filesOf(List<NamedEntry> entries, NoteFiles found) {
    return entries.stream()
        .flatMap(one -> one.entry().note().stream())
        .distinct()
        .flatMap(path -> found.file(path).stream())
        .toList();
  }

  private void afterEdit(Shown shown, List<Trash.Moved> moved, String words)
      throws IOException, InterruptedException {
    desk.working("reading the notes");
    lookAtAll();
    Optional<String> missing = ActRun.noteIfDone(list.findings(), shown.finding());
    if (missing.isPresent()) {
      session.back();
      session.say("The finding is still there: " + missing.get());
      return;
    }
    String about = "edited: " + shown.finding().about();
    finish(new Made(shown.id(), about, true, List.of(), moved, List.of()));
    session.say(words);
  }

  private void throwAway(Shown shown, ObjectNode request, ObjectNode act, ActPage told)
      throws IOException, InterruptedException {
    lookAtAll();
    ObjectNode now = list.act(shown.finding(), request);
    if (!ActRun.isSamePlan(now, act)) {
      confirm(shown, request);
      session.say("The notes have changed meanwhile: nothing was moved.");
      return;
    }
    List<Path> files = filesOf(told.copies(), notes.orElseThrow().look());
    List<Trash.Moved> moved = new ArrayList<>();
    try {
      for (Path file : files) {
        moved.add(desk.trash().move(file, LocalDateTime.now()));
      }
    } catch (IOException e) {
      String why =
          "cannot move %s to the trash: %s"
              .formatted(files.get(moved.size()), PrivateFiles.reason(e));
      String then = putBack(moved).map(wrong -> "; " + wrong).orElse("; nothing was moved");
      session.back();
      session.say(why + then);
      return;
    }
    afterEdit(shown, moved, "Moved to the trash, and recorded as done.");
  }

  /** Moves files back, and removes them from {@code moved}; stops at the first error. */
  private static Optional<String> putBack(List<Trash.Moved> moved) {
    while (!moved.isEmpty()) {
      try {
        moved.getLast().putBack();
      } catch (IOException e) {
        return Optional.of(
            "cannot put %s back: %s".formatted(moved.getLast().from(), PrivateFiles.reason(e)));
      }
      moved.removeLast();
    }
    return Optional.empty();
  }

  void undo() {
    if (made.isEmpty()) {
      session.say("nothing was done in this session");
      return;
    }
    Made last = made.peek();
    boolean possible = true;
    List<AttributedString> told = new ArrayList<>(List.of(ink.text(last.words())));
    if (!last.isAct()) {
      told.add(ink.text("\nThe report has the finding again. No note is changed."));
    } else if (!last.undo().isEmpty() && desk.helix().isPresent()) {
      tell(
          told,
          "helix will store the texts again, at the end of their topics:",
          last.undo().stream().map(call -> call.at("/arguments/text").asText()).toList());
    } else if (!last.edits().isEmpty()) {
      tell(
          told,
          "The text returns to its old place in:",
          last.edits().stream().map(FileEdit::file).toList());
    } else if (!last.moved().isEmpty()) {
      tell(
          told,
          "These files come back from the trash:",
          last.moved().stream().map(Trash.Moved::from).toList());
    } else {
      possible = false;
      told.add(ink.text("\nNo call of helix takes this back: change the notes by hand."));
    }
    Page text = new TextPage(ink.warning("Take this back?"), told);
    if (possible) {
      text.on("enter", "take it back", () -> takeBack(last));
    }
    session.turnTo(text.on("esc", "back", session::back).on("q", "", session::back));
  }

  private void takeBack(Made last) throws IOException, InterruptedException {
    if (!last.undo().isEmpty() || !last.edits().isEmpty()) {
      desk.working(last.edits().isEmpty() ? "helix is working" : "changing the files");
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
        lookAtAll();
      }
      ActRun.note(list.findings(), last.id(), "open", "");
      desk.decided();
    }
    made.pop();
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
