package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.report.FindingList;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.Report;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The last report on a knowledge base, in the database of the store. One row has the report's
 * origin, and each finding has a row.
 */
public record LastReport(Database database) {
  static final List<String> TABLES =
      List.of(
          "CREATE TABLE report (number INTEGER PRIMARY KEY AUTOINCREMENT, checksum INTEGER NOT"
              + " NULL, logSha256 TEXT NOT NULL, made TEXT NOT NULL, decided TEXT NOT NULL,"
              + " firstLook TEXT NOT NULL, questions INTEGER NOT NULL,"
              + " summary TEXT NOT NULL, model TEXT NOT NULL, guesses INTEGER NOT NULL, entries"
              + " TEXT NOT NULL)",
          "CREATE TABLE finding (place INTEGER PRIMARY KEY, checksum INTEGER NOT NULL,"
              + " section TEXT NOT NULL, id TEXT NOT NULL, leads INTEGER NOT NULL,"
              + " rank INTEGER NOT NULL, similarity REAL NOT NULL,"
              + " about TEXT NOT NULL, topics TEXT NOT NULL, keys TEXT NOT NULL,"
              + " verdict TEXT NOT NULL, named TEXT, proposed TEXT,"
              + " act REAL AS (json_extract(told, '$.assessment.act')) STORED,"
              + " toldChecksum INTEGER NOT NULL, told TEXT NOT NULL)",
          "CREATE INDEX finding_id ON finding (id)");

  private static final String FINDINGS =
      "SELECT checksum, section, id, leads, rank, similarity, about, topics, keys, verdict, named,"
          + " proposed FROM finding ";

  /**
   * The state from which the report was made.
   *
   * @param firstLook the parts that are still missing; empty if the report is complete
   * @param questions number of open questions for the language model
   * @param summary summary for a terminal, with colours
   * @param model the language model that judged, if any
   * @param guesses whether measurements show that the model judges no better than chance
   */
  public record Origin(
      String logSha256,
      ReportBasis basis,
      Optional<FirstLook> firstLook,
      int questions,
      String summary,
      Optional<String> model,
      boolean guesses) {}

  /** The findings in the report's order: the leads (the top section), then the others by kind. */
  public record Listing(Origin origin, List<ReportedFinding> findings) {
    public Optional<ReportedFinding> find(String id) {
      return findings.stream().filter(one -> one.id().equals(id)).findFirst();
    }

    public List<String> ids() {
      return findings.stream().map(ReportedFinding::id).toList();
    }
  }

  /** Returns the origin of the last report; empty before the first. */
  public Optional<Origin> origin() {
    return read(LastReport::origin);
  }

  private static Optional<Origin> origin(Connection connection) throws SQLException {
    String select =
        "SELECT checksum, logSha256, made, decided, firstLook, questions, summary, model, guesses"
            + " FROM report";
    return Sql.rows(connection, select, LastReport::origin).stream().findFirst();
  }

  private static Origin origin(ResultSet row) throws SQLException {
    Origin origin =
        new Origin(
            row.getString(2),
            new ReportBasis(row.getString(3), row.getString(4)),
            Optional.of(row.getString(5))
                .filter(look -> !look.isEmpty())
                .map(look -> value(look, FirstLook.class)),
            row.getInt(6),
            row.getString(7),
            Optional.of(row.getString(8)).filter(name -> !name.isEmpty()),
            row.getBoolean(9));
    if (row.getInt(1) != checksum(origin)) {
      throw new Damaged();
    }
    return origin;
  }

  /** Computes a checksum without the record's toString, which is slow at its first call. */
  private static int checksum(Origin origin) {
    return Sql.checksum(
        origin.logSha256,
        origin.basis,
        origin.firstLook,
        origin.questions,
        origin.summary,
        origin.model,
        origin.guesses);
  }

  private static <T> T value(String json, Class<T> type) {
    try {
      return Json.read(json, type);
    } catch (JacksonException e) {
      throw new Damaged();
    }
  }

  /** Returns the findings of the report; throws a {@link Failure} if there is no report. */
  public Listing list() {
    return read(
        connection -> {
          Origin origin = origin(connection).orElseThrow(LastReport::none);
          return new Listing(
              origin, Sql.rows(connection, FINDINGS + "ORDER BY place", LastReport::finding));
        });
  }

  /** Returns the findings with these ids; ignores unknown ids. */
  public List<ReportedFinding> findings(List<String> ids) {
    return read(
        connection -> {
          origin(connection).orElseThrow(LastReport::none);
          List<ReportedFinding> findings = new ArrayList<>();
          try (PreparedStatement select = connection.prepareStatement(FINDINGS + "WHERE id = ?")) {
            for (String id : ids) {
              findings.addAll(Sql.rows(select, LastReport::finding, id));
            }
          }
          return findings;
        });
  }

  /** Thrown when a row does not match its checksum; SQLite has no checksums of rows. */
  private static final class Damaged extends RuntimeException {}

  /** Reads from the database. Deletes a damaged report, so that the next run makes it again. */
  private <T> T read(Database.Transaction<T> work) {
    try {
      return database.read(work);
    } catch (Damaged e) {
      database.write(Durability.COMPUTED, LastReport::forget);
      return database.read(work);
    }
  }

  private static Void forget(Connection connection) throws SQLException {
    Sql.execute(connection, "DELETE FROM report; DELETE FROM finding");
    return null;
  }

  private static Failure none() {
    return new Failure(
        ExitCode.KB,
        "there is no report yet: run helix-bg one-shot with the same folder or option (--kb,"
            + " --notes, --memory)");
  }

  private static ReportedFinding finding(ResultSet row) throws SQLException {
    if (!ReportedFinding.SECTIONS.contains(row.getString(2))) { // a report of an earlier version
      throw new Damaged();
    }
    int rank = row.getInt(5);
    ReportedFinding finding =
        new ReportedFinding(
            row.getString(2),
            row.getString(3),
            row.getBoolean(4),
            rank == 0 ? OptionalInt.empty() : OptionalInt.of(rank),
            row.getDouble(6),
            row.getString(7),
            topics(row.getString(8)),
            words(row.getString(9)),
            Verdict.titled(row.getString(10)),
            Optional.ofNullable(row.getString(11)),
            Optional.ofNullable(row.getString(12)));
    if (row.getInt(1) != checksum(finding)) {
      throw new Damaged();
    }
    return finding;
  }

  private static List<String> words(String joined) {
    return joined.isEmpty() ? List.of() : List.of(joined.split(" "));
  }

  /** Encodes topics and joins them, each followed by a blank; an encoded topic has no blanks. */
  private static String joined(Set<String> topics) {
    return topics.stream()
        .map(topic -> URLEncoder.encode(topic, StandardCharsets.UTF_8) + " ")
        .collect(Collectors.joining());
  }

  private static Set<String> topics(String joined) {
    try {
      String[] encoded = joined.split(" ", -1);
      return Arrays.stream(encoded, 0, encoded.length - 1)
          .map(topic -> URLDecoder.decode(topic, StandardCharsets.UTF_8))
          .collect(Collectors.toCollection(LinkedHashSet::new));
    } catch (IllegalArgumentException e) {
      throw new Damaged();
    }
  }

  private static int checksum(ReportedFinding finding) {
    return Sql.checksum(
        finding.section(),
        finding.id(),
        finding.leads(),
        finding.rank(),
        finding.similarity(),
        finding.about(),
        finding.topics(),
        finding.keys(),
        finding.verdict(),
        finding.named(),
        finding.proposed());
  }

  /**
   * Returns the fields that report.json has for each finding. Omits findings that a newer report no
   * longer contains.
   */
  public Map<ReportedFinding, JsonNode> told(List<ReportedFinding> findings) {
    return read(
        connection -> {
          Map<ReportedFinding, JsonNode> told = new HashMap<>();
          try (PreparedStatement select =
              connection.prepareStatement(
                  "SELECT told, toldChecksum FROM finding WHERE id = ? AND section = ?")) {
            for (ReportedFinding finding : findings) {
              Sql.rows(
                  select, row -> told.put(finding, told(row)), finding.id(), finding.section());
            }
          }
          return told;
        });
  }

  private static JsonNode told(ResultSet row) throws SQLException {
    if (Sql.checksum(row.getString(1)) != row.getInt(2)) {
      throw new Damaged();
    }
    return value(row.getString(1), JsonNode.class);
  }

  /** Returns the pair judges' probabilities that pairs are worth an edit, by the findings' ids. */
  public Map<String, Double> acts() {
    return read(
        connection -> {
          Map<String, Double> acts = new HashMap<>();
          Sql.rows(
              connection,
              "SELECT id, act FROM finding WHERE act IS NOT NULL",
              row -> acts.put(row.getString(1), row.getDouble(2)));
          return acts;
        });
  }

  /** Returns the keys of all entries that the report was made from; copies have equal keys. */
  public List<String> entries() {
    return read(
            connection ->
                Sql.rows(connection, "SELECT entries FROM report", row -> words(row.getString(1))))
        .stream()
        .flatMap(List::stream)
        .toList();
  }

  void keep(Report report, ReportBasis basis, int questions, String summary) {
    Origin origin =
        new Origin(
            report.log().sha256(),
            basis,
            report.firstLook(),
            questions,
            summary,
            report.judgements().model(),
            report.judgements().areGuesses());
    List<String> entries = report.findings().entries().stream().map(NamedEntry::key).toList();
    keep(origin, entries, sink -> FindingList.pass(report, sink));
  }

  /** Findings that are passed one by one, because all of them together would need much memory. */
  interface Source {
    void passTo(FindingList.Sink sink) throws SQLException;
  }

  /** Stores a report, which replaces the last report. */
  void keep(Origin origin, List<String> entries, Source findings) {
    database.write(
        Durability.COMPUTED,
        connection -> {
          forget(connection);
          Sql.execute(
              connection,
              "INSERT INTO report (checksum, logSha256, made, decided, firstLook, questions,"
                  + " summary, model, guesses, entries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              checksum(origin),
              origin.logSha256(),
              origin.basis().made(),
              origin.basis().decided(),
              origin.firstLook().map(look -> Json.of(look).toString()).orElse(""),
              origin.questions(),
              origin.summary(),
              origin.model().orElse(""),
              origin.guesses(),
              String.join(" ", entries));
          try (PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT INTO finding (place, checksum, section, id, leads, rank, similarity,"
                      + " about, topics, keys, verdict, named, proposed, toldChecksum, told)"
                      + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            findings.passTo((place, finding, told) -> insert(insert, place, finding, told));
          }
          return null;
        });
  }

  private static void insert(
      PreparedStatement insert, int place, ReportedFinding finding, String told)
      throws SQLException {
    Sql.execute(
        insert,
        place,
        checksum(finding),
        finding.section(),
        finding.id(),
        finding.leads(),
        finding.rank().orElse(0),
        finding.similarity(),
        finding.about(),
        joined(finding.topics()),
        String.join(" ", finding.keys()),
        finding.verdict().map(Verdict::title).orElse(""),
        finding.named().orElse(null),
        finding.proposed().orElse(null),
        Sql.checksum(told),
        told);
  }
}
