package dev.helixbg.insight.acts;

import dev.helixbg.insight.findings.Finding.PairKind;
import dev.helixbg.insight.findings.FindingIds;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A finding of a report without its texts: what commands list, and what acts are made from.
 *
 * @param section of report.json in which it is told, one of {@link #SECTIONS}
 * @param leads whether the report begins with it
 * @param rank place in the list of relations, from 1; empty for other kinds
 * @param similarity cosine; 1 where nothing is compared
 * @param about the title of its first entry and the names of all, or those of topics, for people
 * @param topics the topics of its entries, or the topics themselves
 * @param keys of its entries, in the order in which it names them; none where it names topics
 * @param verdict what it is to be acted on for, as the report says; empty where that is open
 * @param named what its entry names in source code; of moved sources only
 * @param proposed the topic that an entry is nearer to, the new place of moved source code, a
 *     merged text, or the lesson that entries teach
 */
public record ReportedFinding(
    String section,
    String id,
    boolean leads,
    OptionalInt rank,
    double similarity,
    String about,
    Set<String> topics,
    List<String> keys,
    Optional<Verdict> verdict,
    Optional<String> named,
    Optional<String> proposed) {

  /** The section of what became of source code. */
  public static final String MOVED_SOURCES = "movedSources";

  /** Section of pairs of entries. */
  public static final String RELATIONS = "relations";

  /** Section of lessons that several entries teach. */
  public static final String LESSONS = "lessons";

  /** Kind of findings by the section of report.json, the kind most worth acting on first. */
  private static final Map<String, String> KIND_OF = new LinkedHashMap<>();

  static {
    KIND_OF.put("copies", "copies");
    KIND_OF.put("merges", "merge");
    KIND_OF.put(RELATIONS, PairKind.RELATION.title());
    KIND_OF.put(MOVED_SOURCES, "source");
    KIND_OF.put(LESSONS, "lesson");
    KIND_OF.put("misfiled", "misfiled");
    KIND_OF.put("secrets", "secret");
    KIND_OF.put("topicOverlaps", "topic-overlap");
  }

  /** Sections of report.json with findings, in the order of their kinds. */
  public static final List<String> SECTIONS = List.copyOf(KIND_OF.keySet());

  /** Names of kinds, with those that only some relations have. */
  public static final List<String> KINDS =
      Stream.concat(
              KIND_OF.values().stream(),
              Stream.of(PairKind.NEAR_DUPLICATE.title(), PairKind.CROSS_LINK.title()))
          .toList();

  /** Separates the name of an entry from what is found about it. */
  private static final String IS = " > ";

  /** Most names of a group that people are told. */
  private static final int NAMED = 20;

  /** Returns the kind, one of {@link #KINDS}. */
  public String kind() {
    return isPair() ? PairKind.of(similarity, topics.size() == 1).title() : KIND_OF.get(section);
  }

  /** Says whether it is of a kind; near-duplicates and cross-links are relations, too. */
  public boolean isOf(String kind) {
    return kind.equals(kind()) || kind.equals(KIND_OF.get(section));
  }

  private boolean isPair() {
    return section.equals(RELATIONS);
  }

  /** Returns all ids under which it may have been decided on. */
  public Set<String> aliases() {
    return isPair() ? FindingIds.allOfPair(id, keys.get(0), keys.get(1)) : Set.of(id);
  }

  /** Joins the name of an entry with a statement about the entry. */
  public static String about(String name, String what) {
    return name + IS + what;
  }

  /** The names of several entries or topics, as far as people read them. */
  public static String about(List<String> names) {
    return String.join(" ~ ", names.subList(0, Math.min(NAMED, names.size())))
        + (names.size() > NAMED ? " and %d more".formatted(names.size() - NAMED) : "");
  }

  /** The title of the first of several entries, then the names of all. */
  public static String aboutEntries(List<NamedEntry> entries) {
    String title = entries.getFirst().title();
    String names = about(entries.stream().map(NamedEntry::name).toList());
    return title.equals(names) ? names : title + "  " + names;
  }

  /** The same, about its entries as they are now. */
  public ReportedFinding now(List<NamedEntry> entries) {
    String now =
        Set.of("misfiled", "secrets", MOVED_SOURCES).contains(section)
            ? aboutEntries(entries) + about.substring(about.lastIndexOf(IS))
            : aboutEntries(entries);
    return new ReportedFinding(
        section, id, leads, rank, similarity, now, topics, keys, verdict, named, proposed);
  }
}
