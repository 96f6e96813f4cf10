package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Checks that an act has changed the notes exactly as the description of the act says. */
final class ActExpectation {
  private final JsonNode act;
  private final Set<String> written;
  private final List<NamedEntry> before;
  private final List<NamedEntry> after;
  private final Map<String, NamedEntry> named = new HashMap<>();

  /**
   * Expected topic and text of each note after the act, by the name of the note before the act.
   * Removed notes are missing.
   */
  private final Map<String, String> became = new TreeMap<>();

  /** Name of the note that is kept, by the name of each removed note. */
  private final Map<String, String> standsFor = new HashMap<>();

  private String rewritten;
  private String newLinkFrom;
  private String newLinkTo;

  /**
   * @param act plan of the act; only its proposed text is used
   * @param words description of the act, with the names that notes have before the act
   * @param written topics to which others wrote during the act; links from and to these topics are
   *     not compared
   */
  ActExpectation(
      JsonNode act,
      String words,
      List<NamedEntry> before,
      List<NamedEntry> after,
      Set<String> written) {
    this.act = act;
    this.written = new HashSet<>(written);
    this.before = before;
    this.after = after;
    for (NamedEntry one : before) {
      named.put(one.name(), one);
      became.put(one.name(), told(one));
    }
    read(words);
  }

  /** Returns the notes whose text the act removes or replaces. */
  List<NamedEntry> removed() {
    List<NamedEntry> removed = new ArrayList<>();
    standsFor.keySet().forEach(name -> removed.add(named.get(name)));
    if (rewritten != null) {
      removed.add(named.get(rewritten));
    }
    return removed;
  }

  private String told(NamedEntry one) {
    return one.entry().topic() + "\n" + one.entry().text().content().strip();
  }

  private void read(String words) {
    if (words.startsWith("remove ")) {
      remove(words.substring(7).split(" and keep ")[0], words.split(" and keep ")[1]);
    } else if (words.startsWith("link ")) {
      newLinkFrom = words.substring(5).split(" to ")[0];
      newLinkTo = words.split(" to ")[1];
    } else if (words.startsWith("move all of ")) {
      String[] topics = words.substring(12).split(" into ");
      if (written.contains(topics[0])) {
        written.add(topics[1]); // notes that others stored in the first topic are moved, too
      }
      for (NamedEntry one : before) {
        if (one.entry().topic().equals(topics[0])) {
          became.put(one.name(), topics[1] + "\n" + one.entry().text().content().strip());
        }
      }
    } else if (words.startsWith("move ")) {
      String[] parts = words.substring(5).split(" to ");
      String moved = parts[0];
      became.put(moved, parts[1] + "\n" + named.get(moved).entry().text().content().strip());
    } else {
      String[] parts = words.substring(5).split(" the proposed text and remove ");
      rewritten = remove(parts[1], parts[0]);
      String text =
          act.path("calls")
              .valueStream()
              .filter(call -> call.at("/arguments/action").asText().equals("revise"))
              .findFirst()
              .orElseThrow()
              .at("/arguments/text")
              .asText();
      became.put(
          rewritten,
          named.get(rewritten).entry().topic() + "\n" + EntryText.parse(text).content().strip());
    }
  }

  void check() {
    List<String> missing = new ArrayList<>(became.values());
    List<String> strange = new ArrayList<>();
    for (NamedEntry one : after) {
      if (!missing.remove(told(one))) {
        strange.add(told(one));
      }
    }
    if (!missing.isEmpty() || !strange.isEmpty()) {
      throw new AssertionError("lost: " + missing + ", new: " + strange);
    }
    links();
  }

  /** Expects that notes are removed. Returns the name of the note that is kept. */
  private String remove(String gone, String kept) {
    for (String name : gone.split(", ")) {
      became.remove(name);
      standsFor.put(name, kept);
    }
    return kept;
  }

  /**
   * Compares the notes to which the links of each remaining note lead. Leaves out notes in topics
   * to which others wrote during the act, and notes with links to these topics.
   */
  void links() {
    Map<String, List<List<String>>> expected = new TreeMap<>();
    Set<String> disturbed = new HashSet<>();
    for (NamedEntry one : before) {
      if (became.containsKey(one.name())) {
        List<EntryText.Link> links = new ArrayList<>(one.entry().text().links());
        if (one.name().equals(rewritten)) {
          standsFor.forEach((gone, kept) -> links.addAll(named.get(gone).entry().text().links()));
        }
        List<String> leads = leads(one, links);
        expected.computeIfAbsent(became.get(one.name()), told -> new ArrayList<>()).add(leads);
        if (written.contains(one.entry().topic())
            || isDisturbed(links)
            || leads.stream().anyMatch(this::isDisturbed)
            || isDisturbed(became.get(one.name()))) {
          disturbed.add(became.get(one.name()));
        }
      }
    }
    Map<String, List<List<String>>> found = new TreeMap<>();
    Map<String, NamedEntry> now = new HashMap<>();
    after.forEach(one -> now.put(one.name(), one));
    for (NamedEntry one : after) {
      if (isDisturbed(one.entry().text().links())) {
        disturbed.add(told(one));
      }
      found
          .computeIfAbsent(told(one), told -> new ArrayList<>())
          .add(
              one.entry().text().links().stream()
                  .map(link -> now.get(link.topic() + ":" + link.index()))
                  .filter(target -> target != null)
                  .map(this::told)
                  .distinct()
                  .sorted()
                  .toList());
    }
    for (Map<String, List<List<String>>> all : List.of(expected, found)) {
      all.values().forEach(lists -> lists.sort((a, b) -> a.toString().compareTo(b.toString())));
    }
    expected.keySet().removeAll(disturbed);
    for (String note : expected.keySet()) {
      if (!expected.get(note).equals(found.get(note))) {
        throw new AssertionError(
            "links of <%s> should lead to %s, but lead to %s"
                .formatted(note, expected.get(note), found.get(note)));
      }
    }
  }

  private boolean isDisturbed(List<EntryText.Link> links) {
    return links.stream().anyMatch(link -> written.contains(link.topic()));
  }

  private boolean isDisturbed(String told) {
    return written.contains(told.substring(0, told.indexOf('\n')));
  }

  private List<String> leads(NamedEntry from, List<EntryText.Link> links) {
    List<String> leads = new ArrayList<>();
    for (EntryText.Link link : links) {
      String target = link.topic() + ":" + link.index();
      String standing = standsFor.getOrDefault(target, target);
      boolean toItself = standing.equals(from.name()) && !target.equals(from.name());
      boolean merged = from.name().equals(rewritten) && target.equals(from.name());
      if (named.containsKey(target) && !toItself && !merged) {
        leads.add(became.get(standing));
      }
    }
    if (from.name().equals(newLinkFrom)) {
      leads.add(became.get(newLinkTo));
    }
    return leads.stream().distinct().sorted().toList();
  }
}
