package dev.helixbg.insight.decisions;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The decisions on the findings of one knowledge base, in the order in which they were made.
 * Decisions cannot be computed again, so each decision is on disk before {@link #add} returns. A
 * new database is filled from the file {@value #COPY} beside it, a copy of all decisions.
 */
public record DecisionStore(Database database) {
  /** SQL statement that creates the table, for {@link Database.Schema}. */
  public static final String TABLE =
      "CREATE TABLE decision (number INTEGER PRIMARY KEY AUTOINCREMENT, checksum INTEGER NOT NULL,"
          + " at TEXT NOT NULL, id TEXT NOT NULL, verdict TEXT NOT NULL, by TEXT NOT NULL,"
          + " about TEXT NOT NULL, reason TEXT NOT NULL)";

  /** Name of the file with a JSON array of all decisions; the file is replaced atomically. */
  public static final String COPY = "decisions.json";

  /** Outcomes in copies by earlier versions: an agent's opinions, which decided nothing. */
  private static final Set<String> OPINIONS = Set.of("same", "overtaken", "related", "different");

  /** Maximum length, in characters, of a description or a reason; the rest is cut off. */
  public static final int MAX_TEXT = 500;

  public static Path copyOf(Path database) {
    return database.resolveSibling(COPY);
  }

  /**
   * Reads all decisions.
   *
   * @throws dev.helixbg.embed.store.StoreException when the database cannot be read
   */
  public Decisions read() {
    return new Decisions(database.read(DecisionStore::all));
  }

  /** Returns a number that grows with each decision. */
  public int version() {
    return database.added("decision");
  }

  /** Reads all rows. A gap in their numbers 1, 2, 3, … means that a decision is lost. */
  private static List<Decision> all(Connection connection) throws SQLException {
    int added = Sql.number(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'decision'");
    List<Decision> decisions =
        Sql.rows(
            connection,
            "SELECT checksum, at, id, verdict, by, about, reason FROM decision ORDER BY number",
            DecisionStore::decision);
    int known =
        Sql.number(connection, "SELECT COUNT(*) FROM decision WHERE number BETWEEN 1 AND " + added);
    if (added != decisions.size() || added != known) {
      throw new SQLException("a decision is lost");
    }
    return decisions;
  }

  private static Decision decision(ResultSet row) throws SQLException {
    try {
      Decision decision =
          decision(
              row.getString(2),
              row.getString(3),
              row.getString(4),
              row.getString(5),
              row.getString(6),
              row.getString(7));
      if (row.getInt(1) != checksum(decision)) {
        throw new SQLException("a decision is damaged");
      }
      return decision;
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new SQLException("a decision is damaged", e);
    }
  }

  /**
   * Adds decisions to the database and to the file {@value #COPY}, and waits until both are on
   * disk.
   *
   * @throws dev.helixbg.embed.store.StoreException when no decision could be saved
   */
  public void add(List<Decision> decisions) {
    database.write(
        Durability.FOREVER,
        connection -> {
          for (Decision decision : decisions) {
            insert(connection, cut(decision));
          }
          writeCopy(all(connection));
          return null;
        });
  }

  private static void insert(Connection connection, Decision decision) throws SQLException {
    Sql.execute(
        connection,
        "INSERT INTO decision (checksum, at, id, verdict, by, about, reason)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?)",
        checksum(decision),
        decision.at().toString(),
        decision.id(),
        word(decision.outcome()),
        word(decision.by()),
        decision.about(),
        decision.reason());
  }

  private void writeCopy(List<Decision> all) throws IOException {
    ArrayNode json = JsonNodeFactory.instance.arrayNode();
    for (Decision decision : all) {
      json.addObject()
          .put("at", decision.at().toString())
          .put("id", decision.id())
          .put("decision", word(decision.outcome()))
          .put("by", word(decision.by()))
          .put("about", decision.about())
          .put("reason", decision.reason());
    }
    byte[] text = new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(json);
    AtomicFile.replace(copyOf(database.file()), out -> out.write(text));
  }

  /**
   * Fills a new, empty table from the file {@value #COPY} beside the database, if the file exists.
   */
  public static void restore(Connection connection, Path database)
      throws SQLException, IOException {
    Path copy = copyOf(database);
    PrivateFiles.requireFile(copy);
    if (!Files.exists(copy)) {
      return;
    }
    try {
      JsonNode all = new ObjectMapper().readTree(Files.readAllBytes(copy));
      if (!all.isArray()) {
        throw new IllegalArgumentException("it is not an array");
      }
      for (JsonNode json : all) {
        if (OPINIONS.contains(json.path("decision").asText())) {
          continue;
        }
        insert(
            connection,
            decision(
                json.path("at").asText(),
                json.path("id").asText(),
                json.path("decision").asText(),
                json.path("by").asText(),
                json.path("about").asText(),
                json.path("reason").asText()));
      }
    } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
      throw new IOException("the copy of your decisions is damaged: " + copy + ". Move it away", e);
    }
  }

  private static Decision decision(
      String at, String id, String verdict, String by, String about, String reason) {
    return new Decision(
        id,
        Outcome.valueOf(verdict.toUpperCase(Locale.ROOT)),
        Instant.parse(at),
        about,
        By.valueOf(by.toUpperCase(Locale.ROOT)),
        reason);
  }

  private static int checksum(Decision decision) {
    return Sql.checksum(
        decision.at(),
        decision.id(),
        decision.outcome(),
        decision.by(),
        decision.about(),
        decision.reason());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static Decision cut(Decision decision) {
    return new Decision(
        decision.id(),
        decision.outcome(),
        decision.at(),
        cut(decision.about()),
        decision.by(),
        cut(decision.reason()));
  }

  private static String cut(String text) {
    // Lone surrogates are replaced, because UTF-8 cannot encode them.
    return PrintableText.wellFormed(PrintableText.beginning(text, MAX_TEXT));
  }
}
