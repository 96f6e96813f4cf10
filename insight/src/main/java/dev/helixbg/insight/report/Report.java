package dev.helixbg.insight.report;

import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The data of a report. A report contains neither the time of the run nor data about the machine,
 * so the same knowledge base always gives the same report, byte for byte.
 *
 * @param firstLook what is still missing in an early report; empty for a complete report
 * @param sources changes in the source files that entries mention
 * @param notes empty for a knowledge base of helix
 */
public record Report(
    Findings findings,
    LogAccount log,
    Run run,
    Judgements judgements,
    Optional<FirstLook> firstLook,
    SourceCheckResult sources,
    List<Finding.Secret> secrets,
    Optional<NotesFolder> notes) {

  /** Version of report.json; it rises if a field changes its meaning or disappears. */
  public static final int SCHEMA = 13;

  /** The version of the program, and the embedding model's name and precision. */
  public record Run(String version, String embeddingModel) {}

  /**
   * The folder of notes that the report is about. Its name is the last part of its path, because
   * reports contain no path outside that folder.
   *
   * @param again command-line option that selects these notes, when the user types a command in
   *     that folder
   */
  public record NotesFolder(String name, String again, NotesAccount account) {}

  /**
   * Estimates the tokens that each file of notes would lose if the user acted on all copies and
   * leading pairs. The estimate assumes that the older entry of a pair is removed, or the shorter
   * entry if the order is unknown.
   */
  Map<String, Integer> savings(JudgedRelations pairs) {
    Set<NamedEntry> gone = new HashSet<>();
    findings.copies().forEach(group -> group.entries().stream().skip(1).forEach(gone::add));
    for (Finding.Relation pair : pairs.leading()) {
      if (!gone.contains(pair.a()) && !gone.contains(pair.b())) {
        NamedEntry goes = goes(pair);
        NamedEntry stays = goes == pair.a() ? pair.b() : pair.a();
        if (Acts.lacks(stays, goes).isEmpty()) {
          gone.add(goes);
        }
      }
    }
    Map<String, Integer> tokens = new HashMap<>();
    for (NamedEntry one : gone) {
      int saved = MemoryFile.tokensOf(one.content());
      one.entry().note().ifPresent(file -> tokens.merge(file, saved, Integer::sum));
    }
    return tokens;
  }

  private static NamedEntry goes(Finding.Relation pair) {
    boolean isShorter = pair.a().content().length() < pair.b().content().length();
    return pair.a().isAgeKnown(pair.b()) ? pair.older() : isShorter ? pair.a() : pair.b();
  }

  /**
   * Returns when the newest entry was written, see {@link Entry#written}; empty if no entry has a
   * time.
   */
  public Optional<String> asOf() {
    return findings.entries().stream()
        .map(NamedEntry::entry)
        .filter(entry -> entry.timestampMin() != 0)
        .max(Comparator.comparingInt(Entry::timestampMin))
        .flatMap(Entry::written);
  }
}
