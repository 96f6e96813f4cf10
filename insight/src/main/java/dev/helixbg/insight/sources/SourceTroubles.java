package dev.helixbg.insight.sources;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * Commits that git could not read: a new try would take half a minute of every run. Each is tried
 * again after a week, because the machine may have been busy.
 *
 * @param database has the table
 */
public record SourceTroubles(Database database, InstantSource clock) {
  /** The table, for {@link Database.Schema}: the hash of folder and commit, and the time. */
  public static final String TABLE =
      "CREATE TABLE source_trouble (source TEXT PRIMARY KEY, millis INTEGER NOT NULL)";

  private static final Duration KEPT = Duration.ofDays(7);

  /** Whether git failed on this commit in the last week. */
  boolean has(Path folder, String commit) {
    return database.read(
        connection -> {
          try (PreparedStatement select =
              connection.prepareStatement("SELECT millis FROM source_trouble WHERE source = ?")) {
            select.setString(1, name(folder, commit));
            ResultSet row = select.executeQuery();
            return row.next() && row.getLong(1) > clock.millis() - KEPT.toMillis();
          }
        });
  }

  /** Remembers a failure, and forgets those that are older than a week. */
  void add(Path folder, String commit) {
    database.write(
        Durability.COMPUTED,
        connection -> {
          Database.execute(
              connection,
              "DELETE FROM source_trouble WHERE millis <= " + (clock.millis() - KEPT.toMillis()));
          try (PreparedStatement insert =
              connection.prepareStatement("REPLACE INTO source_trouble VALUES (?, ?)")) {
            insert.setString(1, name(folder, commit));
            insert.setLong(2, clock.millis());
            insert.executeUpdate();
          }
          return null;
        });
  }

  private static String name(Path folder, String commit) {
    return Sha256.of(List.of(folder.toString(), commit));
  }
}
