package dev.helixbg.insight.acts;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.insight.acts.ActPlan.HelixCall;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A replacement for helix in tests. It changes a data.log as docs/decisions/0072 describes helix's
 * tools: an edit appends the new entry and deletes the old record, the first match is edited, all
 * arguments are strings, and a log is read up to its first damage. scripts/check-helix compares it
 * with the real helix.
 */
public final class StandInHelix implements HelixTools {
  private static final String NOW = "[modified: 2026-11-23 16:00]";
  private static final int MINUTES = 29_900_000;
  private static final List<String> TAGGED_BEGINNINGS =
      List.of("gotcha:gotcha", "bug:gotcha", "invariant:invariant", "decision:decision", "gap:gap");

  /** A live entry, as helix reads it. */
  public record Note(int offset, String topic, String body, int minutes) {
    public EntryText text() {
      return EntryText.parse(body);
    }
  }

  private DataLogBytes log = new DataLogBytes();

  /**
   * The live entries of the first {@link #readSize} bytes. Except in a compaction, a log only
   * grows.
   */
  private List<Note> read;

  private int readSize;

  public StandInHelix() {}

  public StandInHelix(List<Entry> entries) {
    entries.forEach(one -> log.entry(one.topic(), one.body(), one.timestampMin()));
  }

  /** Returns the bytes of data.log. */
  @Override
  public byte[] log() {
    return log.toByteArray();
  }

  /** Appends bytes that helix would not write. */
  public void damage(byte... bytes) {
    log.raw(bytes);
  }

  public void call(HelixCall call) {
    call(call.tool(), call.arguments());
  }

  @Override
  public String call(String tool, Map<String, String> arguments) {
    return switch (tool) {
      case "store" -> store(arguments);
      case "edit" -> edit(arguments);
      case "topics" -> topics(arguments);
      default -> throw new HelixTools.Refusal("unknown tool: " + tool);
    };
  }

  private String store(Map<String, String> arguments) {
    String text = arguments.getOrDefault("text", "");
    StringBuilder body = new StringBuilder();
    String tags =
        arguments.containsKey("tags") ? normal(arguments.get("tags")) : detectedTags(text);
    if (!tags.isEmpty()) {
      body.append("[tags: ").append(tags).append("]\n");
    }
    for (String kind : List.of("source", "confidence", "links")) {
      if (!arguments.getOrDefault(kind, "").isEmpty()) {
        body.append('[').append(kind).append(": ").append(arguments.get(kind)).append("]\n");
      }
    }
    log.entry(arguments.get("topic"), body + text, MINUTES);
    return "stored";
  }

  private static String normal(String tags) {
    Set<String> all = new TreeSet<>();
    for (String tag : tags.split(",")) {
      if (!tag.isBlank()) {
        all.add(tag.strip().toLowerCase(Locale.ROOT));
      }
    }
    return String.join(", ", all);
  }

  private static String detectedTags(String text) {
    String first =
        text.lines()
            .filter(line -> !line.isBlank())
            .findFirst()
            .orElse("")
            .strip()
            .toLowerCase(Locale.ROOT);
    return TAGGED_BEGINNINGS.stream()
        .filter(one -> first.startsWith(one.substring(0, one.indexOf(':') + 1)))
        .map(one -> one.substring(one.indexOf(':') + 1))
        .findFirst()
        .orElse("");
  }

  private String edit(Map<String, String> arguments) {
    String topic = arguments.get("topic");
    List<Note> all = in(topic);
    if (all.isEmpty()) {
      throw new HelixTools.Refusal(topic + " not found");
    }
    switch (arguments.get("action")) {
      case "append" -> {
        Note target = target(all, arguments);
        replace(target, target.body().stripTrailing() + "\n" + arguments.get("text"));
      }
      case "revise" ->
          replace(target(all, arguments), NOW + "\n" + arguments.getOrDefault("text", ""));
      case "tag" -> {
        Note target = target(all, arguments);
        replace(target, tagged(target, arguments.get("tags")));
      }
      case "delete" -> log.delete(target(all, arguments).offset());
      case "merge" ->
          all.forEach(
              note -> {
                log.entry(arguments.get("into"), note.body(), note.minutes());
                log.delete(note.offset());
              });
      default -> throw new HelixTools.Refusal("edit action: " + arguments);
    }
    return "done";
  }

  /** Returns the body with one line of tags at the front, and without blanks at the end. */
  private static String tagged(Note target, String tags) {
    Set<String> all = new TreeSet<>(target.text().tags());
    all.addAll(List.of(tags.split(", *")));
    StringBuilder body = new StringBuilder("[tags: " + String.join(", ", all) + "]\n");
    target
        .body()
        .lines()
        .filter(line -> !line.startsWith("[tags: "))
        .forEach(line -> body.append(line).append('\n'));
    return body.toString().stripTrailing();
  }

  private void replace(Note target, String body) {
    log.entry(target.topic(), body, target.minutes());
    log.delete(target.offset());
  }

  private static Note target(List<Note> all, Map<String, String> arguments) {
    if (arguments.containsKey("index")) {
      int index = Integer.parseInt(arguments.get("index"));
      if (index >= all.size()) {
        throw new HelixTools.Refusal("index out of range");
      }
      return all.get(index);
    }
    if (arguments.getOrDefault("match_str", "").isEmpty()) {
      return all.getLast();
    }
    String words = lower(arguments.get("match_str"));
    return all.stream()
        .filter(note -> lower(note.body()).contains(words))
        .findFirst()
        .orElseThrow(() -> new HelixTools.Refusal("no entry matching " + words));
  }

  private String topics(Map<String, String> arguments) {
    String topic = arguments.get("topic");
    if (arguments.get("action").equals("compact")) {
      DataLogBytes compacted = new DataLogBytes();
      live().forEach(note -> compacted.entry(note.topic(), note.body(), note.minutes()));
      log = compacted;
      read = null;
      return "compacted";
    }
    List<Note> all = in(topic);
    if (!arguments.get("action").equals("entries") || all.isEmpty()) {
      throw new HelixTools.Refusal("topic '" + topic + "' not found");
    }
    String words = lower(arguments.getOrDefault("match_str", ""));
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < all.size(); i++) {
      if (lower(all.get(i).body()).contains(words)) {
        out.append("  [").append(i).append("] 2026-11-23 16:00 …\n");
      }
    }
    return out.append(all.size()).append(" entries in ").append(topic).append('\n').toString();
  }

  /** Whether helix answers the check of an act with the expected number of entries. */
  public static boolean counts(
      HelixTools helix, String tool, Map<String, String> arguments, int entries) {
    try {
      return helix
          .call(tool, arguments)
          .lines()
          .toList()
          .getLast()
          .startsWith(entries + " entries in ");
    } catch (HelixTools.Refusal e) {
      return false;
    }
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Returns the live entries that helix sees: those before the first damaged record. */
  public List<Note> live() {
    if (read == null || readSize != log.size()) {
      read = live(log.toByteArray());
      readSize = log.size();
    }
    return read;
  }

  private static List<Note> live(byte[] bytes) {
    ByteBuffer log = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    List<Note> notes = new ArrayList<>();
    Set<Integer> deleted = new HashSet<>();
    int at = 8;
    while (at < bytes.length) {
      if (bytes[at] == 2 && at + 8 <= bytes.length) {
        deleted.add(log.getInt(at + 4));
        at += 8;
      } else if (bytes[at] == 1 && at + 12 <= bytes.length) {
        int topic = bytes[at + 1] & 0xFF;
        long end = at + 12L + topic + Integer.toUnsignedLong(log.getInt(at + 2));
        if (end > bytes.length) {
          break;
        }
        notes.add(
            new Note(
                at,
                new String(bytes, at + 12, topic, UTF_8),
                new String(Arrays.copyOfRange(bytes, at + 12 + topic, (int) end), UTF_8),
                log.getInt(at + 6)));
        at = (int) end;
      } else {
        break;
      }
    }
    notes.removeIf(note -> deleted.contains(note.offset()));
    return List.copyOf(notes);
  }

  /** Returns the live entries of a topic, in the order of the log. */
  public List<Note> in(String topic) {
    return live().stream().filter(note -> note.topic().equals(topic)).toList();
  }

  List<String> contents(String topic) {
    return in(topic).stream().map(note -> note.text().content()).toList();
  }

  /** Returns the entry to which a link leads. */
  Note at(EntryText.Link link) {
    return in(link.topic()).get(link.index());
  }

  int size() {
    return live().size();
  }

  /** Returns the entries of a knowledge base, made from alternating topics and bodies. */
  static List<NamedEntry> kb(String... topicsAndBodies) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < topicsAndBodies.length; i += 2) {
      entries.add(entry(8 + 100L * i, topicsAndBodies[i], topicsAndBodies[i + 1], 1000 + i));
    }
    return named(entries);
  }

  static Entry entry(long offset, String topic, String body, int minutes) {
    return Entry.of(offset, topic, body, minutes);
  }

  static List<NamedEntry> named(List<Entry> entries) {
    return NamedEntry.all(entries, entry -> "%032x".formatted(entry.offset()));
  }

  static List<Entry> entries(List<NamedEntry> kb) {
    return kb.stream().map(NamedEntry::entry).toList();
  }
}
