package dev.helixbg.insight.agents;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import dev.helixbg.insight.judge.QuestionKind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The answers of coding agents, and the questions that agents were asked lately, in a database.
 * Answers cost the user's tokens, so each answer is on disk before {@link #add} returns.
 */
public record AgentAnswerStore(Database database) {
  /** SQL statements that create the tables, for {@link Database.Schema}. */
  public static final List<String> TABLES =
      List.of(
          "CREATE TABLE agentAnswer (number INTEGER PRIMARY KEY AUTOINCREMENT, checksum INTEGER NOT"
              + " NULL, client TEXT NOT NULL, version TEXT NOT NULL, question TEXT NOT NULL,"
              + " kind TEXT NOT NULL, answer TEXT NOT NULL, hasty INTEGER NOT NULL,"
              + " at TEXT NOT NULL, UNIQUE (client, version, question))",
          "CREATE TABLE agentQuestion (client TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,"
              + " keys TEXT NOT NULL, characters INTEGER NOT NULL, at TEXT NOT NULL,"
              + " given TEXT NOT NULL, PRIMARY KEY (client, id) ON CONFLICT REPLACE)",
          "CREATE TABLE agentSecret AS SELECT randomblob(32) AS secret");

  private static final String HMAC = "HmacSHA256";

  private static final String COLUMNS =
      "checksum, client, version, question, kind, answer, hasty, at";

  private static final Duration ANSWERED_WITHIN = Duration.ofDays(30);

  /** Returns a number that grows with each answer. */
  public int version() {
    return database.added("agentAnswer");
  }

  /**
   * Gives a client questions about entries, except questions that were recently given to another
   * client. Two clients that ask at the same time get different questions.
   *
   * @param questions possible questions, the most important first; at most {@code most} of them are
   *     given
   * @param since questions that another client was given at or after this time are left out
   * @return a map from the id of each given question to the id that the client uses in its answer,
   *     see {@link #given}
   */
  public Map<String, String> ask(
      AgentClient client, List<AgentQuestion> questions, int most, Instant since, Instant now) {
    return database.write(
        Durability.COMPUTED,
        connection -> {
          Map<String, String> given = new HashMap<>();
          Set<String> borrowed = askedOfOthers(connection, client, since);
          Mac secret = secret(connection);
          Sql.execute(
              connection,
              "DELETE FROM agentQuestion WHERE at < ?",
              now.minus(ANSWERED_WITHIN).toString());
          for (AgentQuestion question : questions) {
            String id = question.id();
            boolean isFree = question.keys().isEmpty() || !borrowed.contains(id);
            if (isFree && given.size() < most && !given.containsKey(id)) {
              given.put(id, given(secret, id));
              Sql.execute(
                  connection,
                  "INSERT INTO agentQuestion (client, id, kind, keys, characters, at, given)"
                      + " VALUES (?, ?, ?, ?, ?, ?, ?)",
                  client.name(),
                  id,
                  question.kind().title(),
                  String.join(" ", question.keys()),
                  question.characters(),
                  question.at().toString(),
                  given.get(id));
            }
          }
          return given;
        });
  }

  /**
   * Returns the id, 16 hex digits, that clients use in an answer to a question. The id is computed
   * with a random secret of this database, so it cannot be derived from the texts.
   */
  public String given(String question) {
    return database.read(connection -> given(secret(connection), question));
  }

  private static String given(Mac secret, String question) {
    byte[] hash = secret.doFinal(question.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash, 0, 8);
  }

  private static Mac secret(Connection connection) throws SQLException {
    byte[] secret =
        Sql.rows(connection, "SELECT secret FROM agentSecret", row -> row.getBytes(1)).stream()
            .filter(bytes -> bytes != null && bytes.length > 0)
            .findFirst()
            .orElseThrow(
                () -> new SQLException("the database has no secret for the ids of questions"));
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(secret, HMAC));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every Java has HMAC with SHA-256", e);
    }
  }

  /** Returns the questions given to a client, by the ids that the client uses in its answers. */
  public Map<String, AgentQuestion> asked(AgentClient client) {
    return database.read(
        connection -> {
          Map<String, AgentQuestion> asked = new HashMap<>();
          Sql.rows(
              connection,
              "SELECT id, kind, keys, characters, at, given FROM agentQuestion WHERE client = ?",
              row -> asked.put(row.getString(6), question(row)),
              client.name());
          return asked;
        });
  }

  private static AgentQuestion question(ResultSet row) throws SQLException {
    String keys = row.getString(3);
    try {
      return new AgentQuestion(
          row.getString(1),
          QuestionKind.titled(row.getString(2))
              .orElseThrow(() -> new SQLException("a question is damaged")),
          keys.isEmpty() ? List.of() : List.of(keys.split(" ")),
          row.getInt(4),
          Instant.parse(row.getString(5)));
    } catch (DateTimeException e) {
      throw new SQLException("a question is damaged", e);
    }
  }

  /** Returns the ids of the questions that other clients were given since {@code since}. */
  public Set<String> askedOfOthers(AgentClient client, Instant since) {
    return database.read(connection -> askedOfOthers(connection, client, since));
  }

  private static Set<String> askedOfOthers(Connection connection, AgentClient client, Instant since)
      throws SQLException {
    return new HashSet<>(
        Sql.rows(
            connection,
            "SELECT id FROM agentQuestion WHERE client <> ? AND at >= ?",
            row -> row.getString(1),
            client.name(),
            since.toString()));
  }

  /** Returns all answers in the order in which they came, without damaged answers. */
  public List<AgentAnswer> all() {
    return database.read(AgentAnswerStore::all);
  }

  private static List<AgentAnswer> all(Connection connection) throws SQLException {
    String select = "SELECT " + COLUMNS + " FROM agentAnswer ORDER BY number";
    return Sql.rows(connection, select, AgentAnswerStore::answer).stream()
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<AgentAnswer> answer(ResultSet row) throws SQLException {
    Optional<QuestionKind> kind = QuestionKind.titled(row.getString(5));
    if (kind.filter(AgentQuestion.KINDS::contains).isEmpty()) {
      return Optional.empty();
    }
    try {
      AgentAnswer answer =
          new AgentAnswer(
              new AgentClient(row.getString(2), row.getString(3)),
              row.getString(4),
              kind.get(),
              row.getString(6),
              row.getBoolean(7),
              Instant.parse(row.getString(8)));
      boolean isPossible =
          row.getInt(1) == checksum(answer)
              && AgentQuestion.isPossible(kind.get(), answer.answer());
      return isPossible ? Optional.of(answer) : Optional.empty();
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Adds answers and waits until they are on disk. Returns the ids of newly answered questions. */
  public Set<String> add(List<AgentAnswer> answers) {
    return database.write(Durability.FOREVER, connection -> insert(connection, answers));
  }

  private static Set<String> insert(Connection connection, List<AgentAnswer> answers)
      throws SQLException {
    Set<String> added = new HashSet<>();
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO agentAnswer ("
                + COLUMNS
                + ") SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (SELECT 1 FROM"
                + " agentAnswer WHERE client = ?2 AND version = ?3 AND question = ?4)")) {
      for (AgentAnswer answer : answers) {
        int rows =
            Sql.execute(
                insert,
                checksum(answer),
                answer.client().name(),
                answer.client().version(),
                answer.question(),
                answer.kind().title(),
                answer.answer(),
                answer.isHasty(),
                answer.at().toString());
        if (rows > 0) {
          added.add(answer.question());
        }
      }
    }
    return added;
  }

  /**
   * Copies the readable answers from the database file {@code aside}, which was moved there because
   * it was unusable. Does nothing if the file does not exist.
   */
  public static void restore(Connection connection, Path aside) throws SQLException {
    if (!Files.isRegularFile(aside)) {
      return;
    }
    List<AgentAnswer> kept;
    try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + aside.toUri())) {
      kept = all(old);
    } catch (SQLException e) {
      return; // the old database is damaged, or too old to have such a table
    }
    insert(connection, kept);
  }

  private static int checksum(AgentAnswer answer) {
    return Sql.checksum(
        answer.client().name(),
        answer.client().version(),
        answer.question(),
        answer.kind().title(),
        answer.answer(),
        answer.isHasty(),
        answer.at());
  }
}
