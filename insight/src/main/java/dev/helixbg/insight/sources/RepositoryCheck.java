package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.Finding.Since;
import dev.helixbg.insight.findings.Finding.SourceChange;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.sources.GitCommand.SourceException;
import dev.helixbg.insight.sources.GitHistory.Change;
import dev.helixbg.insight.sources.GitHistory.Trail;
import dev.helixbg.insight.sources.GitHistory.Version;
import dev.helixbg.insight.sources.SourceCheck.Outcome;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One pass over entries and one repository: what the entries name, as it was when they were
 * written, and what became of it.
 */
final class RepositoryCheck {
  /** Who writes a note commits what it tells of a little later. */
  private static final long GRACE_SECONDS = 3_600;

  /** Of all versions of files that are compared. */
  private static final long MAX_COMPARED = 64L << 20;

  /** Of all files that are searched for identifiers; larger repositories are not. */
  private static final long MAX_SEARCHED = 256L << 20;

  /** Of a file that changed since. */
  private static final int MAX_VERSIONS = 60;

  private static final int MAX_SYMBOLS = 3;

  /** Of files with the same name that may have taken a place. */
  private static final int MAX_CANDIDATES = 8;

  /** The least that a file must have of one that is gone. */
  private static final double ALIKE = 0.25;

  private static final Pattern PROSE =
      Pattern.compile("(?i).*\\.(md|markdown|txt|adoc|rst|org|html?)");

  private final GitRepository repository;
  private final GitCommand git;
  private final ZoneId zone;
  private final GitHistory history;

  /** Contents by object id. */
  private final Map<String, byte[]> contents = new HashMap<>();

  RepositoryCheck(GitRepository repository, GitCommand git, ZoneId zone) throws SourceException {
    this.repository = repository;
    this.git = git;
    this.zone = zone;
    this.history = new GitHistory(git.log(), git.files());
  }

  /** An entry while it is looked at. */
  private static final class Subject {
    private final NamedEntry entry;
    private final SourceMentions mentions;

    /** The commit that was there when it was written; before all where nobody knows when. */
    private final int position;

    private final List<Place> places = new ArrayList<>();
    private final Set<String> present = new HashSet<>();
    private final List<MovedSource> symbols = new ArrayList<>();

    Subject(NamedEntry entry, int position) {
      this.entry = entry;
      this.mentions = SourceMentions.of(entry.entry());
      this.position = position;
    }

    boolean isDated() {
      return entry.entry().timestampMin() != 0;
    }
  }

  /**
   * A file that an entry names, and what became of it.
   *
   * @param then as it was when the entry was written
   */
  private record Place(SourceMentions.File file, Version then, Trail trail) {
    boolean isGone() {
      return trail.path().filter(then.path()::equals).isEmpty();
    }
  }

  /** What there is to say of each entry. */
  Map<NamedEntry, Outcome> of(List<NamedEntry> entries) throws SourceException {
    List<Subject> subjects = entries.stream().map(one -> new Subject(one, position(one))).toList();
    subjects.forEach(this::locate);
    compare(subjects);
    search(subjects);
    Map<NamedEntry, Outcome> outcomes = new LinkedHashMap<>();
    for (Subject subject : subjects) {
      List<MovedSource> moved =
          Stream.concat(
                  subject.places.stream().flatMap(place -> moved(subject, place).stream()),
                  subject.symbols.stream())
              .toList();
      outcomes.put(subject.entry, new Outcome(moved, subject.present));
    }
    return outcomes;
  }

  private int position(NamedEntry entry) {
    long minutes = entry.entry().timestampMin();
    if (minutes == 0) {
      return history.positionAt(Long.MIN_VALUE);
    }
    long seconds =
        LocalDateTime.ofEpochSecond(60 * minutes, 0, ZoneOffset.UTC).atZone(zone).toEpochSecond();
    return history.positionAt(seconds + GRACE_SECONDS);
  }

  /** Finds the files that an entry names. */
  private void locate(Subject subject) {
    for (SourceMentions.File file : subject.mentions.files()) {
      Optional<String> path = path(file, subject.position);
      if (path.isEmpty()) {
        continue;
      }
      if (history.files().containsKey(path.get())) {
        subject.present.add(file.written());
      }
      Optional<Version> then = history.at(path.get(), subject.position);
      then.ifPresent(version -> add(subject, new Place(file, version, history.since(version))));
    }
  }

  private void add(Subject subject, Place place) {
    boolean present = history.files().containsKey(place.then().path());
    boolean unchanged = place.trail().changes().isEmpty();
    boolean line = place.file().line().isPresent() && subject.isDated();
    if (!unchanged && (present ? line && !place.isGone() : place.isGone())) {
      subject.places.add(place);
    }
  }

  /**
   * The file that is meant. One that is there is preferred to one that was: then a name does not
   * miss anything.
   */
  private Optional<String> path(SourceMentions.File file, int position) {
    String path = file.path();
    String name = repository.name();
    List<String> exact = new ArrayList<>(List.of(path));
    if (path.startsWith(name + "/")) {
      exact.add(path.substring(name.length() + 1));
    }
    int inside = path.lastIndexOf("/" + name + "/");
    if (inside >= 0) {
      exact.add(path.substring(inside + name.length() + 2));
    }
    Optional<String> known = exact.stream().filter(history::hasEver).findFirst();
    if (known.isPresent() || !file.hasExtension() || path.startsWith("/") || path.startsWith("~")) {
      return known;
    }
    List<String> ending =
        history.pathsOfName(file.name()).stream()
            .filter(one -> one.endsWith("/" + path))
            .sorted()
            .toList();
    List<String> here = ending.stream().filter(history.files()::containsKey).toList();
    if (!here.isEmpty()) {
      return here.size() == 1 ? Optional.of(here.getFirst()) : Optional.empty();
    }
    // Those that were there then; else, of a note that is older than its file, the one that came.
    List<Version> then =
        ending.stream().flatMap(one -> history.at(one, position).stream()).toList();
    List<Version> there = then.stream().filter(one -> one.at() == position).toList();
    List<Version> meant = there.isEmpty() ? then : there;
    return meant.size() == 1 ? Optional.of(meant.getFirst().path()) : Optional.empty();
  }

  /** Reads the versions of files that are to be compared. */
  private void compare(List<Subject> subjects) throws SourceException {
    Set<String> ids = new LinkedHashSet<>();
    for (Subject subject : subjects) {
      for (Place place : subject.places) {
        ids.add(place.then().object());
        if (!place.isGone()) {
          versions(place).forEach(version -> version.after().ifPresent(ids::add));
        }
        successors(place).forEach(path -> ids.add(history.files().get(path)));
      }
    }
    git.read(ids, MAX_COMPARED, contents::put);
  }

  /** Changes of a file since, the last of them. */
  private static List<Change> versions(Place place) {
    List<Change> changes = place.trail().changes();
    return changes.subList(Math.max(0, changes.size() - MAX_VERSIONS), changes.size());
  }

  /** Files that may have taken the place of one that is gone: by git's renames, or by name. */
  private List<String> successors(Place place) {
    if (place.trail().path().isPresent() || !place.isGone()) {
      return place.trail().path().stream().toList();
    }
    String path = place.then().path();
    return history.pathsOfName(path.substring(path.lastIndexOf('/') + 1)).stream()
        .filter(history.files()::containsKey)
        .sorted()
        .limit(MAX_CANDIDATES)
        .toList();
  }

  private Optional<MovedSource> moved(Subject subject, Place place) {
    return place.isGone() ? gone(subject, place) : changed(subject, place);
  }

  private Optional<MovedSource> gone(Subject subject, Place place) {
    Optional<Change> going =
        place.trail().changes().stream()
            .filter(one -> one.finds(place.then().path()) && !one.leaves(place.then().path()))
            .reduce((_, last) -> last);
    return going.map(
        change ->
            found(
                subject,
                SourceChange.GONE,
                place.file().written(),
                place.then().path(),
                successor(place),
                Optional.of(since(place, change))));
  }

  /** Where the file probably is, with the line where it can be told. */
  private Optional<String> successor(Place place) {
    byte[] old = contents.get(place.then().object());
    Optional<String> path =
        place
            .trail()
            .path()
            .or(
                () ->
                    successors(place).stream()
                        .filter(one -> likeness(old, one) >= ALIKE)
                        .max(Comparator.comparingDouble(one -> likeness(old, one))));
    return path.filter(SourceMentions::isPlace)
        .map(
            found -> {
              byte[] now = contents.get(history.files().get(found));
              OptionalInt line =
                  old == null || now == null || place.file().line().isEmpty()
                      ? OptionalInt.empty()
                      : LineWindow.of(old, place.file().line().getAsInt())
                          .map(window -> window.lineIn(now))
                          .orElse(OptionalInt.empty());
              return found + (line.isPresent() ? ":" + line.getAsInt() : "");
            });
  }

  private double likeness(byte[] old, String path) {
    byte[] now = contents.get(history.files().get(path));
    return old == null || now == null ? 0 : LineWindow.share(old, now);
  }

  private Optional<MovedSource> changed(Subject subject, Place place) {
    byte[] then = contents.get(place.then().object());
    byte[] now = contents.get(history.files().get(place.then().path()));
    Optional<LineWindow> window =
        then == null || now == null
            ? Optional.empty()
            : LineWindow.of(then, place.file().line().getAsInt());
    if (window.isEmpty() || window.get().isIn(now)) {
      return Optional.empty();
    }
    List<Change> versions = versions(place);
    int last = versions.size() - 1;
    while (last > 0 && !has(versions.get(last - 1), window.get())) {
      last--; // the oldest from which on the lines are not there any more
    }
    return Optional.of(
        found(
            subject,
            SourceChange.CHANGED,
            place.file().written(),
            place.then().path(),
            Optional.empty(),
            Optional.of(since(place, versions.get(last)))));
  }

  private boolean has(Change change, LineWindow window) {
    return change.after().map(contents::get).filter(window::isIn).isPresent();
  }

  private Since since(Place place, Change change) {
    GitHistory.Commit commit = history.commit(change.at());
    return new Since(place.trail().changes().size(), commit.shortId(), commit.date());
  }

  private MovedSource found(
      Subject subject,
      SourceChange change,
      String named,
      String path,
      Optional<String> now,
      Optional<Since> since) {
    return new MovedSource("", subject.entry, change, repository.name(), named, path, now, since);
  }

  /** Finds identifiers that are in no file any more, and were in one. */
  private void search(List<Subject> subjects) throws SourceException {
    Set<String> wanted = new HashSet<>();
    subjects.forEach(subject -> wanted.addAll(subject.mentions.identifiers()));
    Set<String> here = new HashSet<>();
    history.files().keySet().forEach(path -> here.add(stem(path)));
    IdentifierScan scan = new IdentifierScan(wanted);
    Collection<String> all = new LinkedHashSet<>(new TreeMap<>(history.files()).values());
    if (wanted.isEmpty() || !git.read(all, MAX_SEARCHED, (_, bytes) -> scan.in(bytes, here::add))) {
      return;
    }
    for (Subject subject : subjects) {
      subject.mentions.identifiers().stream().filter(here::contains).forEach(subject.present::add);
    }
    wanted.removeAll(here);
    Map<Integer, List<Version>> earlier = new HashMap<>();
    Set<String> ids = new LinkedHashSet<>();
    for (Subject subject : subjects) {
      if (subject.isDated() && subject.mentions.identifiers().stream().anyMatch(wanted::contains)) {
        earlier
            .computeIfAbsent(subject.position, this::earlier)
            .forEach(version -> ids.add(version.object()));
      }
    }
    Map<String, Set<String>> had = new HashMap<>();
    IdentifierScan missing = new IdentifierScan(wanted);
    git.read(
        ids,
        MAX_SEARCHED,
        (id, bytes) ->
            missing.in(bytes, name -> had.computeIfAbsent(id, _ -> new HashSet<>()).add(name)));
    for (Subject subject : subjects) {
      List<Version> versions = earlier.getOrDefault(subject.position, List.of());
      subject.mentions.identifiers().stream()
          .filter(wanted::contains)
          .flatMap(
              name ->
                  versions.stream()
                      .sorted(Comparator.comparing(one -> !stem(one.path()).equals(name))) // stable
                      .filter(one -> had.getOrDefault(one.object(), Set.of()).contains(name))
                      .map(one -> symbol(subject, name, one))
                      .limit(1))
          .limit(MAX_SYMBOLS)
          .forEach(subject.symbols::add);
    }
  }

  private MovedSource symbol(Subject subject, String name, Version version) {
    return found(
        subject,
        SourceChange.SYMBOL_GONE,
        name,
        version.path(),
        Optional.empty(),
        Optional.empty());
  }

  /** Code that was other code then, by path. */
  private List<Version> earlier(int position) {
    return history.otherwiseAt(position).stream()
        .filter(version -> !PROSE.matcher(version.path()).matches())
        .sorted(Comparator.comparing(Version::path))
        .toList();
  }

  private static String stem(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }
}
