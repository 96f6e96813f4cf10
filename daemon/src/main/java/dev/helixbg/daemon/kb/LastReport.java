package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The last report on a knowledge base: what it was made from, and its findings, one a row. */
public final class LastReport {
  /** The tables, for {@link Database.Schema}. */
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

  private final Kb kb;
  private final Database database;

  LastReport(Kb kb, Database database) {
    this.kb = kb;
    this.database = database;
  }

  /**
   * What the report was made from.
   *
   * @param number grows with each report
   * @param logSha256 the hash of the log
   * @param firstLook what it is still without; empty when it is whole
   * @param questions that the language model has not been asked yet
   * @param summary for a terminal, with colours
   * @param model the language model that judged; empty: none did
   * @param guesses whether that model was measured, and does no better than chance
   */
  public record Origin(
      int number,
      String logSha256,
      ReportBasis basis,
      Optional<FirstLook> firstLook,
      int questions,
      String summary,
      Optional<String> model,
      boolean guesses) {}

  /**
   * What the report lists.
   *
   * @param findings what it leads with, then kind by kind, each in its order
   */
  public record Listing(Origin origin, List<ReportedFinding> findings) {
    /** Finds a finding by its id, or by the id that an earlier version gave it. */
    public Optional<ReportedFinding> find(String id) {
      return findings.stream()
          .filter(one -> one.id().equals(id))
          .findFirst()
          .or(() -> findings.stream().filter(one -> one.aliases().contains(id)).findFirst());
    }

    public List<String> ids() {
      return findings.stream().map(ReportedFinding::id).toList();
    }
  }

  /** The sources of the last report; empty before the first one. */
  public Optional<Origin> origin() {
    return read(LastReport::origin);
  }

  private static Optional<Origin> origin(Connection connection) throws SQLException, IOException {
    try (PreparedStatement select =
            connection.prepareStatement(
                "SELECT number, checksum, logSha256, made, decided, firstLook, questions,"
                    + " summary, model, guesses FROM report");
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        return Optional.empty();
      }
      Origin origin =
          new Origin(
              row.getInt(1),
              row.getString(3),
              new ReportBasis(row.getString(4), row.getString(5)),
              firstLook(row.getString(6)),
              row.getInt(7),
              row.getString(8),
              Optional.of(row.getString(9)).filter(name -> !name.isEmpty()),
              row.getBoolean(10));
      if (row.getInt(2) != checksum(origin)) {
        throw new Damaged();
      }
      return Optional.of(origin);
    }
  }

  private static int checksum(Origin origin) {
    return Database.checksum(
        origin.logSha256,
        origin.basis,
        origin.firstLook,
        origin.questions,
        origin.summary,
        origin.model,
        origin.guesses);
  }

  private static Optional<FirstLook> firstLook(String text) throws SQLException, IOException {
    return text.isEmpty() ? Optional.empty() : Optional.of(value(text, FirstLook.class));
  }

  private static <T> T value(String json, Class<T> type) {
    try {
      return Json.read(json, type);
    } catch (JacksonException e) {
      throw new Damaged();
    }
  }

  /**
   * What the report lists.
   *
   * @throws Failure with {@link ExitCode#KB} when there is no report
   */
  public Listing list() {
    return read(
        connection -> {
          Origin origin = origin(connection).orElseThrow(this::none);
          List<ReportedFinding> findings = new ArrayList<>();
          try (PreparedStatement select =
                  connection.prepareStatement(
                      "SELECT checksum, section, id, leads, rank, similarity, about,"
                          + " topics, keys, verdict, named, proposed FROM finding"
                          + " ORDER BY place");
              ResultSet row = select.executeQuery()) {
            while (row.next()) {
              ReportedFinding finding = finding(row);
              if (row.getInt(1) != checksum(finding)) {
                throw new Damaged();
              }
              findings.add(finding);
            }
          }
          return new Listing(origin, findings);
        });
  }

  /** A row is not as it was kept. SQLite has no checksums of its own. */
  private static final class Damaged extends RuntimeException {}

  /** A damaged report is forgotten, as if there were none: the next run makes it again. */
  private <T> T read(Database.Transaction<T> work) {
    try {
      return database.read(work);
    } catch (Damaged e) {
      database.write(Durability.COMPUTED, LastReport::forget);
      return database.read(work);
    }
  }

  private static Void forget(Connection connection) throws SQLException {
    Database.execute(connection, "DELETE FROM report; DELETE FROM finding");
    return null;
  }

  private Failure none() {
    return new Failure(
        ExitCode.KB, "there is no report yet on " + kb.folder() + ": run helix-bg one-shot");
  }

  private static ReportedFinding finding(ResultSet row) throws SQLException, IOException {
    if (!ReportedFinding.SECTIONS.contains(row.getString(2))) { // a report of an earlier version
      throw new Damaged();
    }
    int rank = row.getInt(5);
    return new ReportedFinding(
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
  }

  private static List<String> words(String joined) {
    return joined.isEmpty() ? List.of() : List.of(joined.split(" "));
  }

  /** A blank follows each topic; the encoding of a topic has none. */
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
    return Database.checksum(
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
   * Findings with their texts, as report.json has them.
   *
   * @return by section and id, without those that a new report does not have any more
   */
  public Map<ReportedFinding, JsonNode> told(List<ReportedFinding> findings) {
    return read(
        connection -> {
          Map<ReportedFinding, JsonNode> told = new HashMap<>();
          try (PreparedStatement select =
              connection.prepareStatement(
                  "SELECT told, toldChecksum FROM finding WHERE id = ? AND section = ?")) {
            for (ReportedFinding finding : findings) {
              select.setString(1, finding.id());
              select.setString(2, finding.section());
              try (ResultSet row = select.executeQuery()) {
                if (row.next()) {
                  if (Database.checksum(row.getString(1)) != row.getInt(2)) {
                    throw new Damaged();
                  }
                  told.put(finding, value(row.getString(1), JsonNode.class));
                }
              }
            }
          }
          return told;
        });
  }

  /** How likely a pair is worth an act, as the pair judge says, by the id of the finding. */
  public Map<String, Double> acts() {
    return read(
        connection -> {
          Map<String, Double> acts = new HashMap<>();
          try (PreparedStatement select =
                  connection.prepareStatement("SELECT id, act FROM finding WHERE act IS NOT NULL");
              ResultSet row = select.executeQuery()) {
            while (row.next()) {
              acts.put(row.getString(1), row.getDouble(2));
            }
          }
          return acts;
        });
  }

  /** The keys of all entries that the report was made from. */
  public Set<String> entries() {
    return read(
        connection -> {
          try (PreparedStatement select =
                  connection.prepareStatement("SELECT entries FROM report");
              ResultSet row = select.executeQuery()) {
            return row.next() ? new HashSet<>(words(row.getString(1))) : Set.of();
          }
        });
  }

  /**
   * A finding with its texts.
   *
   * @param json as report.json has it
   */
  record Told(ReportedFinding finding, String json) {}

  /** Is given findings with their places. */
  interface Sink {
    void take(int place, Told finding);
  }

  /**
   * Keeps a report instead of the one before.
   *
   * @param summary for a terminal, with colours
   */
  void keep(Report report, ReportBasis basis, int questions, String summary) {
    Origin origin =
        new Origin(
            0,
            report.log().sha256(),
            basis,
            report.firstLook(),
            questions,
            summary,
            report.judgements().model(),
            report.judgements().areGuesses());
    List<String> entries = report.findings().entries().stream().map(NamedEntry::key).toList();
    keep(
        origin,
        entries,
        sink ->
            JsonReport.eachFinding(
                report, (place, finding, json) -> sink.take(place, new Told(finding, json))));
  }

  /**
   * @param entries keys of all entries that it was made from
   * @param findings gives all findings to a sink
   */
  void keep(Origin origin, List<String> entries, Consumer<Sink> findings) {
    database.write(
        Durability.COMPUTED,
        connection -> {
          forget(connection);
          keepOrigin(connection, origin, String.join(" ", entries));
          keepFindings(connection, findings);
          return null;
        });
  }

  private static void keepOrigin(Connection connection, Origin origin, String entries)
      throws SQLException, IOException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO report (checksum, logSha256, made, decided, firstLook,"
                + " questions, summary, model, guesses, entries)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      insert.setInt(1, checksum(origin));
      insert.setString(2, origin.logSha256());
      insert.setString(3, origin.basis().made());
      insert.setString(4, origin.basis().decided());
      insert.setString(5, origin.firstLook().map(look -> Json.of(look).toString()).orElse(""));
      insert.setInt(6, origin.questions());
      insert.setString(7, origin.summary());
      insert.setString(8, origin.model().orElse(""));
      insert.setBoolean(9, origin.guesses());
      insert.setString(10, entries);
      insert.executeUpdate();
    }
  }

  /** Carries what an insert throws through the sink of findings. */
  private static final class Unkept extends RuntimeException {
    Unkept(Exception cause) {
      super(cause);
    }
  }

  private static void keepFindings(Connection connection, Consumer<Sink> findings)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO finding (place, checksum, section, id, leads, rank, similarity,"
                + " about, topics, keys, verdict, named, proposed, toldChecksum,"
                + " told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      findings.accept(
          (place, told) -> {
            try {
              insert(insert, place, told.finding(), told.json());
            } catch (SQLException | IOException e) {
              throw new Unkept(e);
            }
          });
    } catch (Unkept e) {
      throw e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getCause());
    }
  }

  private static void insert(
      PreparedStatement insert, int place, ReportedFinding finding, String told)
      throws SQLException, IOException {
    insert.setInt(1, place);
    insert.setInt(2, checksum(finding));
    insert.setString(3, finding.section());
    insert.setString(4, finding.id());
    insert.setBoolean(5, finding.leads());
    insert.setInt(6, finding.rank().orElse(0));
    insert.setDouble(7, finding.similarity());
    insert.setString(8, finding.about());
    insert.setString(9, joined(finding.topics()));
    insert.setString(10, String.join(" ", finding.keys()));
    insert.setString(11, finding.verdict().map(Verdict::title).orElse(""));
    insert.setString(12, finding.named().orElse(null));
    insert.setString(13, finding.proposed().orElse(null));
    insert.setInt(14, Database.checksum(told));
    insert.setString(15, told);
    insert.executeUpdate();
  }
}
