package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.helixbg.insight.notes.NoteDecoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Carries out acts on memory files, and undoes them. Before a change, saves the removed text in the
 * store's folder {@value #FOLDER}: in {@code ID.json}, then {@code ID-1.json} and so on.
 */
public record NoteRun(ActRun acts, NotesKb notes) {
  private static final String FOLDER = "acts";
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Name of a file with a saved act: the finding's id, and a number from the second act on. */
  private static final Pattern SAVED = Pattern.compile("(.+?)(?:-(\\d{1,6}))?\\.json");

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
   * Carries out {@code act}, the plan for {@code request}, and records its finding as done. First
   * plans the act again, because the text that the act keeps may be gone. If the new plan differs,
   * changes nothing.
   */
  public Outcome run(ObjectNode request, ObjectNode act) throws IOException, InterruptedException {
    String id = act.path("id").asText();
    Optional<ReportedFinding> finding = acts.store().report().list().find(id);
    if (finding.isEmpty()) {
      return Outcome.nothing(State.STALE, "the newest report does not contain " + id);
    }
    List<FileEdit> edits = edits(act);
    Outcome outcome;
    try (ProcessLock _ = lock()) {
      outcome = change(request, act, edits);
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

  private Optional<String> stale(ObjectNode request, ObjectNode act)
      throws IOException, InterruptedException {
    notes.refresh();
    try {
      return ActRun.isSamePlan(acts.findings().act(request), act)
          ? Optional.empty()
          : Optional.of("the notes have changed meanwhile");
    } catch (Failure e) {
      return Optional.of(e.getMessage());
    }
  }

  private Outcome change(ObjectNode request, ObjectNode act, List<FileEdit> edits)
      throws IOException, InterruptedException {
    String id = act.path("id").asText();
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
    Optional<String> stale = stale(request.deepCopy().put("id", id), act);
    if (stale.isPresent()) {
      return Outcome.nothing(State.STALE, stale.get());
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
    return "cannot change %s: %s".formatted(file.file(), PrivateFiles.reason(e));
  }

  private static Outcome failed(String id, String why, List<JsonNode> made) {
    return new Outcome(
        State.FAILED,
        why + ". helix-bg act " + id + " --undo puts the removed items back",
        made,
        List.of(),
        List.of());
  }

  /** Undoes an act: the texts return to their places, and the finding is open again. */
  public Outcome takeBack(String id) throws IOException, InterruptedException {
    Outcome outcome;
    try (ProcessLock _ = lock()) {
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
    Optional<Path> saved = latest(id);
    if (saved.isEmpty()) {
      return Outcome.nothing(
          State.UNDONE,
          ("helix-bg has kept no text that an act on %s removed: name the same notes as for that"
                  + " act (--notes or --memory)")
              .formatted(id));
    }
    Kept kept = Json.read(Files.readString(saved.get()), Kept.class);
    List<Step> steps = new ArrayList<>();
    for (KeptEdit edit : kept.edits().reversed()) {
      UserFile file = new UserFile(Path.of(edit.edit().file()));
      try {
        byte[] now = Files.readAllBytes(file.file());
        if (Sha256.of(now).equals(edit.edit().sha256())) {
          continue; // the act did not change this file
        }
        file.requireChangeable(); // every file is checked before one is changed
        Optional<String> text = NoteDecoder.utf8(now).flatMap(edit::takenBack);
        if (text.isEmpty()) {
          return Outcome.nothing(
              State.STALE,
              ("%s has changed around the place of the removed text, or is no longer UTF-8; the"
                      + " text is saved in %s")
                  .formatted(file.file(), saved.get()));
        }
        steps.add(new Step(file, now, text.get().getBytes(UTF_8)));
      } catch (IOException e) {
        return Outcome.nothing(State.UNDONE, refused(file, e));
      }
    }
    if (steps.isEmpty()) { // the act was stopped before its first change, or the text is back
      Files.delete(saved.get());
      return latest(id).isPresent() ? putBack(id) : Outcome.done();
    }
    Outcome outcome = replace(id, steps);
    if (outcome.state() == State.DONE) {
      Files.deleteIfExists(saved.get());
    } else if (!outcome.made().isEmpty()) { // keeps the remaining files for the next undo
      save(new Kept(id, without(kept.edits(), outcome.made())), saved.get());
    }
    return outcome;
  }

  private static List<KeptEdit> without(List<KeptEdit> edits, List<JsonNode> made) {
    return edits.stream().filter(edit -> !made.contains(changed(edit.edit().file()))).toList();
  }

  private ProcessLock lock() throws IOException {
    return ProcessLock.take(acts.store().folder().resolve(".acts.lock"), PATIENCE)
        .orElseThrow(
            () -> new Failure(ExitCode.BUSY, "another helix-bg is changing " + notes.notes()));
  }

  private Path folder() {
    return acts.store().folder().resolve(FOLDER);
  }

  private Optional<Path> latest(String id) throws IOException {
    if (!Files.isDirectory(folder())) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .filter(file -> number(file, id).isPresent())
          .max(Comparator.comparingInt(file -> number(file, id).getAsInt()));
    }
  }

  private static OptionalInt number(Path file, String id) {
    Matcher name = SAVED.matcher(file.getFileName().toString());
    return name.matches() && name.group(1).equals(id)
        ? OptionalInt.of(name.group(2) == null ? 0 : Integer.parseInt(name.group(2)))
        : OptionalInt.empty();
  }

  private void keep(Kept kept) throws IOException {
    Optional<Path> before = latest(kept.id());
    String number = before.map(file -> "-" + (number(file, kept.id()).getAsInt() + 1)).orElse("");
    save(kept, folder().resolve(kept.id() + number + ".json"));
  }

  private void save(Kept kept, Path file) {
    try {
      PrivateFiles.makeFolder(folder());
      AtomicFile.replace(file, out -> out.write(Json.of(kept).toPrettyString().getBytes(UTF_8)));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write " + file, e, "Nothing was changed");
    }
  }
}
