package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.insight.notes.NoteFiles;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks names and times of notes. When notes have changed, and then stayed unchanged for a while,
 * updates the log that is made from them.
 */
public final class NotesWatch {
  private static final Logger LOG = LoggerFactory.getLogger(NotesWatch.class);

  /** Minimum ratio of the wait after a check to the time that the check took. */
  private static final int SHARE = 100;

  private final NotesKb notes;
  private final Duration every;
  private final Duration quiet;
  private long next = Long.MIN_VALUE;
  private long changedSince;
  private boolean changed;
  private String warned = "";

  /**
   * {@code every} is the shortest time between two checks; notes are read after {@code quiet}
   * without a change, at the latest after {@link KbWatch#READ_ANYWAY_AFTER}.
   */
  public NotesWatch(NotesKb notes, Duration every, Duration quiet) {
    this.notes = notes;
    this.every = every;
    this.quiet = quiet;
  }

  /** Checks the notes at the time {@code now}; returns the nanoseconds until the next check. */
  public synchronized long look(long now) {
    if (next != Long.MIN_VALUE && now - next < 0) {
      return next - now;
    }
    long start = System.nanoTime();
    NoteFiles files = notes.look();
    long wait = Math.max(every.toNanos(), SHARE * (System.nanoTime() - start));
    if (notes.isMadeOf(files)) {
      changed = false;
    } else {
      changedSince = changed ? changedSince : now;
      changed = true;
      Instant rested = Instant.now().minus(quiet);
      if (files.newest().isAfter(rested)
          && now - changedSince < KbWatch.READ_ANYWAY_AFTER.toNanos()) {
        wait = Math.min(wait, quiet.toNanos());
      } else {
        String left = notes.update(files).words().orElse("");
        if (!left.equals(warned) && !left.isEmpty()) {
          LOG.warn("{}: {}", notes.notes(), left);
        }
        warned = left;
      }
    }
    next = now + wait;
    return wait;
  }
}
