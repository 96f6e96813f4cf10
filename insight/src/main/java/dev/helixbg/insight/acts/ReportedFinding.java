package dev.helixbg.insight.acts;

import dev.helixbg.insight.findings.Finding.PairKind;
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
 * A finding of a report, without the texts of its entries.
 *
 * @param section section of report.json, one of {@link #SECTIONS}
 * @param rank place in the list of relations, from 1; empty for other kinds
 * @param similarity cosine of what the finding compares, such as two entries; 1 if the finding
 *     compares nothing
 * @param about description for people: the title of the first entry and the names of all entries,
 *     or the names of the topics
 * @param topics topics of the entries; for a topic overlap, the two topics
 * @param keys keys of the entries, in order; empty for a topic overlap
 * @param verdict verdict by which the report proposes an act; empty if there is no such verdict
 * @param named name of a file, as the entry writes it; only for moved sources
 * @param proposed proposal of the finding: new path of moved source code, merged text, or lesson
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

  public static final String MOVED_SOURCES = "movedSources";
  public static final String RELATIONS = "relations";
  public static final String LESSONS = "lessons";

  /** Kind of the findings in each section of report.json. Kinds that most need an act are first. */
  private static final Map<String, String> KIND_OF = new LinkedHashMap<>();

  static {
    KIND_OF.put("copies", "copies");
    KIND_OF.put("merges", "merge");
    KIND_OF.put(RELATIONS, PairKind.RELATION.title());
    KIND_OF.put(MOVED_SOURCES, "source");
    KIND_OF.put(LESSONS, "lesson");
    KIND_OF.put("secrets", "secret");
    KIND_OF.put("topicOverlaps", "topic-overlap");
  }

  /** Sections of report.json that list findings, in the order of {@link #KIND_OF}. */
  public static final List<String> SECTIONS = List.copyOf(KIND_OF.keySet());

  /** Names of all kinds, including near-duplicates and cross-links, which are also relations. */
  public static final List<String> KINDS =
      Stream.concat(
              KIND_OF.values().stream(),
              Stream.of(PairKind.NEAR_DUPLICATE.title(), PairKind.CROSS_LINK.title()))
          .toList();

  /** Separator between the name of an entry and a statement about it. */
  private static final String IS = " > ";

  /** Maximum number of names that are listed for a group. */
  private static final int NAMED = 20;

  /** Returns the kind, one of {@link #KINDS}. */
  public String kind() {
    return section.equals(RELATIONS)
        ? PairKind.of(similarity, topics.size() == 1).title()
        : KIND_OF.get(section);
  }

  /** Whether the finding is of a kind; a near-duplicate or a cross-link is also a relation. */
  public boolean isOf(String kind) {
    return kind.equals(kind()) || kind.equals(KIND_OF.get(section));
  }

  /** Joins the name of an entry with a statement about it. */
  public static String about(String name, String what) {
    return name + IS + what;
  }

  /** Joins names of entries or topics, at most {@value #NAMED}. */
  public static String about(List<String> names) {
    return String.join(" ~ ", names.subList(0, Math.min(NAMED, names.size())))
        + (names.size() > NAMED ? " and %d more".formatted(names.size() - NAMED) : "");
  }

  /** Returns the title of the first entry, then the names of all entries. */
  public static String aboutEntries(List<NamedEntry> entries) {
    String title = entries.getFirst().title();
    String names = about(entries.stream().map(NamedEntry::name).toList());
    return title.equals(names) ? names : title + "  " + names;
  }

  /** Returns the finding with the names that its entries have now. */
  public ReportedFinding now(List<NamedEntry> entries) {
    boolean says = Set.of("secrets", MOVED_SOURCES).contains(section);
    String now = aboutEntries(entries) + (says ? about.substring(about.lastIndexOf(IS)) : "");
    return new ReportedFinding(
        section, id, leads, rank, similarity, now, topics, keys, verdict, named, proposed);
  }
}
