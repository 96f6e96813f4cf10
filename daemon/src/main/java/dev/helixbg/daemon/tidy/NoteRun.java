package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.ActRun.Outcome;
import dev.helixbg.daemon.tidy.ActRun.State;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.acts.FileEdit;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.notes.FactFile.Span;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Carries out acts on memory files, and reverses them. Before the first change, the removed text is
 * saved in the store's folder {@value #FOLDER}, in one file for each finding.
 */
public record NoteRun(ActRun acts, NotesKb notes) {
  private static final String FOLDER = "acts";
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  record Kept(String id, List<KeptEdit> edits) {}

  private record Step(UserFile file, byte[] before, byte[] after) {}

  /** Returns the edits of an act; empty if the act changes no file. */
  public static List<FileEdit> edits(JsonNode act) throws IOException {
    List<FileEdit> edits = new ArrayList<>();
    for (JsonNode edit : act.path("edits")) {
      edits.add(Json.read(edit, FileEdit.class));
    }
    return edits;
  }

  /**
   * Carries out an act that was just planned, and records its finding as done if the finding is
   * gone.
   */
  public Outcome run(JsonNode act) throws IOException, InterruptedException {
    String id = act.path("id").asText();
    Optional<ReportedFinding> finding = acts.store().report().list().find(id);
    if (finding.isEmpty()) {
      return Outcome.nothing(State.STALE, "a new report was made, which does not contain " + id);
    }
    List<FileEdit> edits = edits(act);
    Outcome outcome;
    try (ProcessLock _ = lock()) {
      deleteLeftovers();
      outcome = change(id, edits);
    }
    if (outcome.state() != State.DONE) {
      return outcome;
    }
    notes.refresh();
    List<JsonNode> made = edits.stream().map(edit -> changed(edit.file())).toList();
    return ActRun.noteIfDone(acts.findings(), finding.get())
        .map(missing -> failed(id, "the finding is still there: " + missing, made))
        .orElse(outcome);
  }

  private Outcome change(String id, List<FileEdit> edits) throws IOException {
    List<Step> steps = new ArrayList<>();
    List<KeptEdit> kept = new ArrayList<>();
    for (FileEdit edit : edits) {
      UserFile file = new UserFile(Path.of(edit.file()));
      try {
        file.requireChangeable();
        byte[] bytes = Files.readAllBytes(file.file());
        if (!Sha256.of(bytes).equals(edit.sha256())) {
          return Outcome.nothing(State.STALE, edit.file() + " has changed meanwhile");
        }
        String text = new String(bytes, UTF_8);
        kept.add(KeptEdit.of(edit, text));
        steps.add(new Step(file, bytes, Span.changed(text, edit.spans()).getBytes(UTF_8)));
      } catch (IOException e) {
        return Outcome.nothing(State.UNDONE, refused(file, e));
      }
    }
    keep(new Kept(id, kept));
    return replace(id, steps);
  }

  private static Outcome replace(String id, List<Step> steps) {
    List<JsonNode> made = new ArrayList<>();
    for (Step step : steps) {
      Outcome stopped;
      try {
        if (step.file().replace(step.before(), step.after())) {
          made.add(changed(step.file().file().toString()));
          continue;
        }
        stopped = Outcome.nothing(State.STALE, step.file().file() + " has changed meanwhile");
      } catch (IOException e) {
        stopped = Outcome.nothing(State.UNDONE, refused(step.file(), e));
      }
      return made.isEmpty() ? stopped : failed(id, stopped.why(), made);
    }
    return Outcome.done();
  }

  private static JsonNode changed(String file) {
    return Json.object().put("file", file);
  }

  private static String refused(UserFile file, IOException e) {
    return "cannot change %s: %s".formatted(file.file(), Failure.reason(e));
  }

  private static Outcome failed(String id, String why, List<JsonNode> made) {
    return new Outcome(
        State.FAILED,
        why + ". helix-bg act " + id + " --undo puts back the removed items",
        made,
        List.of(),
        List.of());
  }

  /** Reverses an act: the texts return to their places, and the finding is open again. */
  public Outcome takeBack(String id) throws IOException, InterruptedException {
    Outcome outcome;
    try (ProcessLock _ = lock()) {
      deleteLeftovers();
      outcome = putBack(id);
    }
    if (outcome.state() == State.DONE) {
      notes.refresh();
      if (acts.store().decisions().read().on(id).isPresent()) {
        ActRun.note(acts.findings(), id, "open", "");
      }
    }
    return outcome;
  }

  private Outcome putBack(String id) throws IOException {
    if (!Files.exists(fileOf(id))) {
      return Outcome.nothing(
          State.UNDONE, "helix-bg has no text that it removed from a file for " + id);
    }
    Kept kept = Json.read(Files.readString(fileOf(id)), Kept.class);
    List<Step> steps = new ArrayList<>();
    for (KeptEdit edit : kept.edits().reversed()) {
      UserFile file = new UserFile(Path.of(edit.edit().file()));
      try {
        byte[] now = Files.readAllBytes(file.file());
        if (Sha256.of(now).equals(edit.edit().sha256())) {
          continue; // the act did not change this file
        }
        Optional<String> text = edit.takenBack(new String(now, UTF_8));
        if (text.isEmpty()) {
          return Outcome.nothing(
              State.STALE,
              "%s has changed around the place of the removed text, which is kept in %s"
                  .formatted(file.file(), fileOf(id)));
        }
        steps.add(new Step(file, now, text.get().getBytes(UTF_8)));
      } catch (IOException e) {
        return Outcome.nothing(State.UNDONE, refused(file, e));
      }
    }
    Outcome outcome = replace(id, steps);
    if (outcome.state() == State.DONE) {
      Files.deleteIfExists(fileOf(id));
    }
    return outcome;
  }

  /** Removes the leftovers of a killed process, unless another process is changing files. */
  public void clear() throws IOException {
    try (ProcessLock held = ProcessLock.take(lockFile(), Duration.ZERO).orElse(null)) {
      if (held != null) {
        deleteLeftovers();
      }
    }
  }

  /**
   * Deletes temporary files beside the notes, and saved edits of acts that changed no file. The
   * caller holds the lock.
   */
  private void deleteLeftovers() throws IOException {
    if (!Files.isDirectory(folder())) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder(), "*.json")) {
      for (Path file : files) {
        if (isUnmade(file)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static boolean isUnmade(Path kept) {
    try {
      for (KeptEdit edit : Json.read(Files.readString(kept), Kept.class).edits()) {
        Path file = Path.of(edit.edit().file());
        AtomicFile.deleteLeftoversOf(file);
        if (!Sha256.of(file).equals(edit.edit().sha256())) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // a file is missing now
    }
  }

  private ProcessLock lock() throws IOException {
    return ProcessLock.take(lockFile(), PATIENCE)
        .orElseThrow(
            () -> new Failure(ExitCode.BUSY, "another helix-bg is changing " + notes.notes()));
  }

  private Path lockFile() {
    return acts.store().folder().resolve(".acts.lock");
  }

  private Path folder() {
    return acts.store().folder().resolve(FOLDER);
  }

  private Path fileOf(String id) {
    return folder().resolve(id + ".json");
  }

  private void keep(Kept kept) {
    try {
      PrivateFiles.makeFolder(folder());
      AtomicFile.replace(
          fileOf(kept.id()), out -> out.write(Json.of(kept).toPrettyString().getBytes(UTF_8)));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write " + fileOf(kept.id()), e, "Nothing was changed");
    }
  }
}
