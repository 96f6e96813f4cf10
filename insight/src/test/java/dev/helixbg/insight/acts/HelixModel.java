package dev.helixbg.insight.acts;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What helix's {@code edit} and {@code store} do to a knowledge base, as far as docs/decisions/0072
 * knows them: an edited entry is appended and its old record deleted, the first match counts, and
 * all arguments are strings.
 */
final class HelixModel {
  static final String NOW = "[modified: 2026-11-22 16:00]";

  record Note(String topic, String body, int minutes) {}

  /** Live, in the order of the log. */
  private final List<Note> notes = new ArrayList<>();

  HelixModel(List<Entry> entries) {
    entries.forEach(one -> notes.add(new Note(one.topic(), one.body(), one.timestampMin())));
  }

  void call(HelixCall call) {
    Map<String, String> arguments = call.arguments();
    String topic = arguments.get("topic");
    if (call.tool().equals("store")) {
      notes.add(new Note(topic, stored(arguments), 999));
      return;
    }
    if (!call.tool().equals("edit")) {
      throw new IllegalArgumentException("unknown tool: " + call.tool());
    }
    switch (arguments.get("action")) {
      case "append" -> {
        Note target = target(arguments);
        replace(target, target.body().stripTrailing() + "\n" + arguments.get("text"));
      }
      case "revise" -> replace(target(arguments), NOW + "\n" + arguments.get("text"));
      case "delete" -> remove(target(arguments));
      case "merge" -> {
        for (Note note : in(topic)) {
          remove(note);
          notes.add(new Note(arguments.get("into"), note.body(), note.minutes()));
        }
      }
      default -> throw new IllegalArgumentException(arguments.toString());
    }
  }

  private void replace(Note target, String body) {
    remove(target);
    notes.add(new Note(target.topic(), body, target.minutes()));
  }

  /** That very one: others may be equal. */
  private void remove(Note note) {
    for (int i = 0; i < notes.size(); i++) {
      if (notes.get(i) == note) {
        notes.remove(i);
        return;
      }
    }
  }

  private static String stored(Map<String, String> arguments) {
    StringBuilder body = new StringBuilder();
    for (String kind : List.of("tags", "source", "confidence", "links")) {
      if (arguments.containsKey(kind)) {
        body.append('[').append(kind).append(": ").append(arguments.get(kind)).append("]\n");
      }
    }
    return body + arguments.get("text");
  }

  private Note target(Map<String, String> arguments) {
    List<Note> all = in(arguments.get("topic"));
    if (arguments.containsKey("index")) {
      return all.get(Integer.parseInt(arguments.get("index")));
    }
    String words = arguments.get("match_str").toLowerCase(Locale.ROOT);
    return all.stream()
        .filter(note -> note.body().toLowerCase(Locale.ROOT).contains(words))
        .findFirst()
        .orElseThrow();
  }

  List<Note> in(String topic) {
    return notes.stream().filter(note -> note.topic().equals(topic)).toList();
  }

  List<String> contents(String topic) {
    return in(topic).stream().map(note -> text(note).content()).toList();
  }

  static EntryText text(Note note) {
    return EntryText.parse(note.body());
  }

  /** What a link leads to. */
  Note at(EntryText.Link link) {
    return in(link.topic()).get(link.index());
  }

  int size() {
    return notes.size();
  }

  /** A knowledge base of bodies, for tests. */
  static List<NamedEntry> kb(String... topicsAndBodies) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < topicsAndBodies.length; i += 2) {
      entries.add(entry(8 + 100L * i, topicsAndBodies[i], topicsAndBodies[i + 1], 1000 + i));
    }
    return named(entries);
  }

  static Entry entry(long offset, String topic, String body, int minutes) {
    return new Entry(offset, topic, body, minutes, EntryText.parse(body));
  }

  static List<NamedEntry> named(List<Entry> entries) {
    return NamedEntry.all(entries, entry -> "%032x".formatted(entry.offset()));
  }

  static List<Entry> entries(List<NamedEntry> kb) {
    return kb.stream().map(NamedEntry::entry).toList();
  }
}
