package dev.helixbg.insight.acts;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A change to a knowledge base that a finding suggests. {@link ActPlanner} plans it.
 *
 * @param when conditions under which the act is right; at least one of them must be true
 */
public record Act(List<When> when, Change change) {
  /** Maximum number of entries that a text names; a group of copies can have hundreds. */
  private static final int NAMED = 20;

  /** Returns the change as an instruction to the reader. */
  public String words() {
    return change.words();
  }

  /** A condition for an act. A reader checks whether the condition is true. */
  public enum When {
    SAME("the entries say the same"),
    OVERTAKEN("the newer entry replaces the older entry"),
    RELATED("the entries are only related"),
    OVERLAP("both topics are about one subject"),
    MOVED("the entry describes the present state"),
    RECURRING("the entries teach one lesson");

    private final String words;

    When(String words) {
      this.words = words;
    }

    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }

    public String words() {
      return words;
    }
  }

  public sealed interface Change {
    /** Entries are removed, and another entry replaces them. */
    record Remove(List<NamedEntry> gone, NamedEntry kept) implements Change {}

    record Link(NamedEntry from, NamedEntry target) implements Change {}

    record MergeTopics(String small, String large) implements Change {}

    /** An outdated file name in an entry is replaced by the file's present name. */
    record Rename(NamedEntry entry, String from, String to) implements Change {}

    /** A reader checks what an entry says about a file, because no program can judge that. */
    record Reread(NamedEntry entry, String named) implements Change {}

    /** A new entry of a topic states what other entries have in common, and links to them. */
    record Gather(List<NamedEntry> entries, String topic, String text) implements Change {}

    /** An entry gets a text that includes what other entries say. The other entries are removed. */
    record Rewrite(NamedEntry kept, List<NamedEntry> gone, String text) implements Change {}

    default String words() {
      return switch (this) {
        case Remove(List<NamedEntry> gone, NamedEntry kept) ->
            "remove " + names(gone) + " and keep " + name(kept);
        case Link(NamedEntry from, NamedEntry target) ->
            "link " + name(from) + " to " + name(target);
        case MergeTopics(String small, String large) ->
            (Entry.isNote(small) ? "move the files of the folder " : "move all of ")
                + "%s into %s".formatted(QuotedName.of(small), QuotedName.of(large));
        case Rename(NamedEntry entry, String from, String to) ->
            "in %s, write %s instead of %s"
                .formatted(name(entry), QuotedName.of(to), QuotedName.of(from));
        case Reread(NamedEntry entry, String named) ->
            "read %s again, and correct or remove what it says about %s"
                .formatted(name(entry), QuotedName.of(named));
        case Gather(List<NamedEntry> entries, String topic, String text) ->
            (NoteName.of(entries.getFirst().entry()).isPresent()
                    ? "write a note"
                    : "store an entry under " + QuotedName.of(topic))
                + " that says %s, with links to %s".formatted(QuotedName.of(text), names(entries));
        case Rewrite(NamedEntry kept, List<NamedEntry> gone, _) ->
            "give " + name(kept) + " the proposed text and remove " + names(gone);
      };
    }
  }

  /** Returns the names of the first entries, and the number of further entries, as text. */
  static String names(List<NamedEntry> entries) {
    int more = entries.size() - NAMED;
    return entries.stream().limit(NAMED).map(Act::name).collect(Collectors.joining(", "))
        + (more > 0 ? " and %,d more".formatted(more) : "");
  }

  /** Returns the name of an entry. The name of a part of a file says that it is only a part. */
  static String name(NamedEntry entry) {
    return NoteName.of(entry.entry())
        .map(NoteName::words)
        .orElseGet(() -> QuotedName.of(entry.name()));
  }
}
