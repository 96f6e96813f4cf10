package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.insight.notes.NoteFiles;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a folder of notes by names and times, and brings its log up to date when they have
 * changed and rest. It leaves all that follows from a changed log to others.
 */
public final class NotesWatch {
  private static final Logger LOG = LoggerFactory.getLogger(NotesWatch.class);

  /** Looking takes at most this part of the time. */
  private static final int SHARE = 100;

  private final NotesKb notes;
  private final Duration every;
  private final Duration quiet;
  private long next;
  private long changedSince;
  private boolean changed;
  private String warned = "";

  /**
   * @param every the shortest time between two looks
   * @param quiet how long no note must have changed before they are read
   */
  public NotesWatch(NotesKb notes, Duration every, Duration quiet) {
    this.notes = notes;
    this.every = every;
    this.quiet = quiet;
    this.next = Long.MIN_VALUE;
  }

  /**
   * @param now in nanoseconds
   * @return nanoseconds after which it wants to look again
   * @throws dev.helixbg.daemon.terminal.Failure when the notes or the log are out of reach
   */
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
