package dev.helixbg.insight.report;

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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that a report tells. It holds nothing of the clock or the machine, so that the same knowledge
 * base gives the same bytes.
 *
 * @param firstLook what it is still without; empty when it is whole
 * @param sources what became of the source code that entries tell of
 * @param secrets entries that hold a secret
 * @param notes the folder of notes that it is of, if it is
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

  /** A whole report on one knowledge base, which helix can edit. */
  public Report(Findings findings, LogAccount log, Run run, Judgements judgements) {
    this(
        findings,
        log,
        run,
        judgements,
        Optional.empty(),
        SourceCheckResult.NONE,
        List.of(),
        Optional.empty());
  }

  /** The same, marked as what is known before all is. */
  public Report asFirstLook(FirstLook look) {
    return new Report(findings, log, run, judgements, Optional.of(look), sources, secrets, notes);
  }

  /**
   * The same with what became of sources, which entries hold secrets, and the folder of notes if it
   * is of one.
   */
  public Report with(
      SourceCheckResult found, List<Finding.Secret> held, Optional<NotesFolder> folder) {
    return new Report(findings, log, run, judgements, firstLook, found, held, folder);
  }

  /** Version of the JSON form; raised when a field changes its meaning or goes away. */
  public static final int SCHEMA = 12;

  /**
   * The program and the model that made the report.
   *
   * @param version of the program
   * @param embeddingModel name and precision, for the reader
   */
  public record Run(String version, String embeddingModel) {}

  /**
   * The folder of notes that the report is of, if it is not of a knowledge base of helix.
   *
   * @param name without the folders that it is in: a report holds no path
   * @param account what became of the files
   */
  public record NotesFolder(String name, NotesAccount account) {}

  /**
   * Estimates the tokens that each file of notes would lose if its reader acted on all copies and
   * on all pairs that lead. Of a pair the older entry goes, or the shorter one where the age is
   * unknown.
   *
   * @param pairs the relations of this report
   */
  Map<String, Integer> savings(JudgedRelations pairs) {
    Set<NamedEntry> gone = new LinkedHashSet<>();
    findings
        .copies()
        .forEach(group -> gone.addAll(group.entries().subList(1, group.entries().size())));
    for (Finding.Relation pair : pairs.leading()) {
      if (!gone.contains(pair.a()) && !gone.contains(pair.b())) {
        gone.add(goes(pair));
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

  /** When the newest entry was written, see {@link Entry#written}; empty when none tells. */
  public Optional<String> asOf() {
    return findings.entries().stream()
        .map(NamedEntry::entry)
        .filter(entry -> entry.timestampMin() != 0)
        .max(Comparator.comparingInt(Entry::timestampMin))
        .flatMap(Entry::written);
  }
}
