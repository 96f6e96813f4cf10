package dev.helixbg.insight.acts;

import static dev.helixbg.insight.acts.NotCallableException.require;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.acts.LinksAfter.Fate;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses words by which helix finds one entry, because no other body of the topic contains them
 * before, during or after an act. The components come from a plan of {@link ActPlanner}.
 */
record EntryWords(
    Change change,
    Map<String, List<NamedEntry>> topics,
    Map<NamedEntry, Fate> fates,
    Map<NamedEntry, String> bodies,
    LinksAfter after) {
  /** Maximum width, in columns, of the excerpt by which a person recognises an entry. */
  private static final int SOUGHT = 200;

  /**
   * Returns words that identify an entry until it gets a mark or new links. If several entries have
   * the same body, helix edits the first of them. Therefore an act cannot edit entries with equal
   * bodies; it can only delete them, beginning with the first.
   */
  String of(NamedEntry entry) {
    List<NamedEntry> twins =
        topics.get(entry.topic()).stream()
            .filter(one -> one.entry().body().equals(entry.entry().body()))
            .toList();
    if (twins.size() > 1) {
      long gone = twins.stream().filter(one -> fates.get(one) == Fate.DELETED).count();
      boolean first = twins.stream().limit(gone).allMatch(one -> fates.get(one) == Fate.DELETED);
      require(
          first && fates.get(entry) == Fate.DELETED,
          "%s is stored %d times with exactly the same text: first remove the copies"
              .formatted(Act.name(entry), twins.size()));
    }
    return MatchString.of(entry.entry().body(), othersThan(entry, twins))
        .orElseThrow(
            () ->
                new NotCallableException(
                    ("%s has no words of its own: all its words are also in another note of %s, and"
                            + " helix could take that note for this one. Make the edit by hand: %s")
                        .formatted(Act.name(entry), QuotedName.of(entry.topic()), sought(entry))));
  }

  private static String sought(NamedEntry entry) {
    String text = entry.content().strip();
    String shown = PrintableText.excerpt(text, SOUGHT).replaceAll("[“”\"]", "'");
    return "look for the note that %s “%s” and has %,d characters"
        .formatted(text.length() < SOUGHT ? "says" : "begins", shown, text.length());
  }

  private List<String> othersThan(NamedEntry entry, List<NamedEntry> twins) {
    List<String> others = new ArrayList<>();
    Set<String> concerned = new LinkedHashSet<>(List.of(entry.topic()));
    if (change instanceof Change.MergeTopics merge) {
      concerned.addAll(List.of(after.topicAfter(entry), merge.small(), merge.large()));
    }
    for (String topic : concerned) {
      topics.getOrDefault(topic, List.of()).stream()
          .filter(one -> !twins.contains(one))
          .forEach(one -> others.add(one.entry().body()));
    }
    bodies.keySet().stream()
        .filter(one -> one != entry && concerned.contains(after.topicAfter(one)))
        .forEach(one -> others.add(bodies.get(one)));
    return others;
  }
}
