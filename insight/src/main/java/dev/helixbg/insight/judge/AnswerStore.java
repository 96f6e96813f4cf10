package dev.helixbg.insight.judge;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The answers of language models in a table of a database. The key of an answer is the kind of
 * question (the job), the version of its prompt, the model file and the whole text of the question.
 * Methods throw {@link dev.helixbg.embed.store.StoreException} when the database cannot be used.
 */
public record AnswerStore(Database database) implements RememberedAnswers {
  /** SQL statement that creates the table, for {@link Database.Schema}. */
  public static final String TABLE =
      "CREATE TABLE answer (number INTEGER PRIMARY KEY AUTOINCREMENT, checksum INTEGER NOT NULL,"
          + " job TEXT NOT NULL, prompt TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL,"
          + " answer TEXT NOT NULL, probability REAL NOT NULL, next TEXT NOT NULL,"
          + " nextProbability REAL NOT NULL, unread INTEGER NOT NULL, orders TEXT NOT NULL,"
          + " UNIQUE (job, prompt, model, key) ON CONFLICT REPLACE)";

  /** Maximum length of a free text that is accepted, in characters. */
  private static final int MAX_TEXT = 20_000;

  /**
   * Identity of a question and its model.
   *
   * @param version version of the prompt, followed by the token budget
   * @param model SHA-256 of the model file, in hexadecimal
   */
  public record Id(QuestionKind job, String version, String model, String key) {}

  /** Returns a number that grows with each added answer. */
  public int version() {
    return database.added("answer");
  }

  @Override
  public Map<Id, Answer> find(Set<Id> wanted) {
    return database.read(
        connection -> {
          Map<Id, Answer> found = new HashMap<>();
          try (PreparedStatement select =
              connection.prepareStatement(
                  "SELECT checksum, answer, probability, next, nextProbability, unread, orders"
                      + " FROM answer WHERE job = ? AND prompt = ? AND model = ? AND key = ?")) {
            for (Id id : wanted) {
              Sql.rows(
                      select,
                      row -> answer(row, id),
                      id.job().title(),
                      id.version(),
                      id.model(),
                      id.key())
                  .stream()
                  .flatMap(Optional::stream)
                  .forEach(answer -> found.put(id, answer));
            }
          }
          return found;
        });
  }

  private static Optional<Answer> answer(ResultSet row, Id id) throws SQLException {
    String orders = row.getString(7);
    Answer answer =
        new Answer(
            row.getString(2),
            row.getDouble(3),
            row.getString(4),
            row.getDouble(5),
            row.getInt(6),
            orders.isEmpty() ? List.of() : List.of(orders.split(" ")));
    return row.getInt(1) == checksum(id, answer) && isPossible(id.job(), answer)
        ? Optional.of(answer)
        : Optional.empty();
  }

  @Override
  public void add(Map<Id, Answer> some) {
    if (some.isEmpty()) {
      return;
    }
    database.write(
        Durability.COMPUTED,
        connection -> {
          try (PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT INTO answer (checksum, job, prompt, model, key, answer, probability,"
                      + " next, nextProbability, unread, orders)"
                      + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            for (Map.Entry<Id, Answer> one : some.entrySet()) {
              Id id = one.getKey();
              Answer answer = one.getValue();
              Sql.execute(
                  insert,
                  checksum(id, answer),
                  id.job().title(),
                  id.version(),
                  id.model(),
                  id.key(),
                  answer.text(),
                  answer.probability(),
                  answer.runnerUp(),
                  answer.runnerUpProbability(),
                  answer.unread(),
                  String.join(" ", answer.orders()));
            }
          }
          return null;
        });
  }

  private static int checksum(Id id, Answer answer) {
    return Sql.checksum(
        id.job().title(),
        id.version(),
        id.model(),
        id.key(),
        answer.text(),
        answer.probability(),
        answer.runnerUp(),
        answer.runnerUpProbability(),
        answer.unread(),
        answer.orders());
  }

  /**
   * Deletes the unused answers of all models, if there are many of them and they outnumber the used
   * answers.
   */
  @Override
  public void forgetStale(Set<String> keys, Collection<String> versions) {
    database.forgetStale(
        "answer",
        List.of("prompt", "key"),
        row -> versions.contains(row.get(0)) && keys.contains(row.get(1)));
  }

  /**
   * Whether a model could give this answer. Stored answers that no model could give are ignored.
   */
  private static boolean isPossible(QuestionKind job, Answer answer) {
    List<String> choices = job.choices();
    return choices.isEmpty()
        ? answer.text().length() <= MAX_TEXT
        : choices.contains(answer.text())
            && choices.contains(answer.runnerUp())
            && choices.containsAll(answer.orders())
            && isShare(answer.probability())
            && isShare(answer.runnerUpProbability())
            && answer.probability() + answer.runnerUpProbability() <= 1 + 1e-6;
  }

  private static boolean isShare(double value) {
    return value >= 0 && value <= 1; // false for NaN
  }
}
