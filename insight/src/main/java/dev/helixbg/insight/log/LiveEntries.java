package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Receives the records of a log in file order, decodes the entries, and removes the entries that
 * delete records name.
 *
 * <p>All entries of a topic share one String object for the topic. A delete record removes an
 * earlier entry at once. If it names a later entry, that entry is removed at the end of the log.
 */
class LiveEntries {
  private static final char REPLACEMENT = '\uFFFD';

  /** Maximum number of damaged parts that are listed; a hostile log could have millions. */
  static final int MOST_DAMAGE = 1000;

  private final byte[] log;
  private final ArrayList<Entry> entries = new ArrayList<>();
  private int[] offsets = new int[1024];
  private final Map<String, String> topics = new HashMap<>();
  private final List<LogAccount.Damage> damage = new ArrayList<>();
  private final IntStream.Builder earlyTargets = IntStream.builder();
  private int deletes;

  LiveEntries(byte[] log) {
    this.log = log;
  }

  /** Decodes the entry record at {@code offset}. Lengths are in bytes. */
  void entry(int offset, int timestampMin, int topicLength, int bodyLength) {
    int text = offset + RecordHeader.ENTRY_BYTES;
    String topic = new String(log, text, topicLength, UTF_8);
    String body = new String(log, text + topicLength, bodyLength, UTF_8);
    if (topic.indexOf(REPLACEMENT) >= 0 || body.indexOf(REPLACEMENT) >= 0) {
      accountMalformed(offset, topicLength + bodyLength, topic + body);
    }
    if (entries.size() == offsets.length) {
      offsets = Arrays.copyOf(offsets, offsets.length * 2);
    }
    offsets[entries.size()] = offset;
    String shared = topics.computeIfAbsent(topic, first -> first);
    entries.add(Entry.of(offset, shared, body, timestampMin));
  }

  void delete(int offset, long target) {
    deletes++;
    if (target <= offset) {
      remove((int) target);
    } else if (target < log.length) {
      earlyTargets.add((int) target);
    }
  }

  /** Lists a damaged part; if the list is full, adds the lost bytes to the last listed part. */
  void damage(LogAccount.Damage stretch) {
    if (damage.size() < MOST_DAMAGE) {
      damage.add(stretch);
      return;
    }
    LogAccount.Damage last = damage.removeLast();
    long unreadable = last.unreadable() + stretch.unreadable();
    String detail = "this damaged part and all later damaged parts";
    damage.add(new LogAccount.Damage(last.offset(), unreadable, last.kind(), detail));
  }

  /** Returns the live entries and the counts. {@code sha256} is the log's hash, if it is known. */
  LogReading finish(Optional<String> sha256) {
    earlyTargets.build().forEach(this::remove);
    List<Entry> left = entries.stream().filter(Objects::nonNull).toList();
    return new LogReading(
        left,
        new LogAccount(
            log.length,
            sha256.orElseGet(() -> Sha256.of(log)),
            entries.size(),
            deletes,
            left.size(),
            List.copyOf(damage)));
  }

  private void remove(int target) {
    int at = Arrays.binarySearch(offsets, 0, entries.size(), target);
    if (at >= 0) {
      entries.set(at, null);
    }
  }

  /**
   * Counts the bytes in an entry's text that are not valid UTF-8, and reports them as damage.
   * {@code said} is the decoded text, in which a U+FFFD (three bytes in UTF-8) replaces each
   * malformed piece.
   */
  private void accountMalformed(int offset, int length, String said) {
    int start = offset + RecordHeader.ENTRY_BYTES;
    byte[] bytes = said.getBytes(UTF_8);
    int first = Arrays.mismatch(log, start, start + length, bytes, 0, bytes.length);
    if (first < 0) {
      return; // the log itself contains U+FFFD
    }
    long replaced = said.chars().filter(c -> c == REPLACEMENT).count();
    long count = length - bytes.length + 3 * replaced;
    damage(
        new LogAccount.Damage(
            start + first,
            count,
            LogAccount.Kind.INVALID_UTF8,
            "the entry at offset %s has %s bytes that are not UTF-8, shown as U+FFFD"
                .formatted(offset, count)));
  }
}
