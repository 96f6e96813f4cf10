package dev.helixbg.insight.acts;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A way to deal with a finding: a change of a knowledge base. {@link ActPlanner} plans the calls
 * right before the change.
 *
 * @param when conditions on the finding, of which one must be true
 */
public record Act(List<When> when, Change change) {
  /** Largest number of entries that an act names; a finding may have hundreds of copies. */
  private static final int NAMED = 20;

  public Act {
    when = List.copyOf(when);
  }

  /** Returns the change as an instruction to the reader. */
  public String words() {
    return change.words();
  }

  /** A condition that a reader checks. */
  public enum When {
    /** The entries state the same. */
    SAME,
    /** The newer entry replaces or contradicts the older one. */
    OVERTAKEN,
    /** The entries belong together, and each says something of its own. */
    RELATED,
    /** The entry is under the wrong topic. */
    MISFILED,
    /** Two topics are about one subject. */
    OVERLAP,
    /** The source code that an entry names has changed. */
    MOVED,
    /** The entries teach one lesson. */
    RECURRING;

    /** Returns the name used in files. */
    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The change that an act makes. */
  public sealed interface Change {
    String words();

    /** Entries are removed, and another entry replaces them. */
    record Remove(List<NamedEntry> gone, NamedEntry kept) implements Change {
      @Override
      public String words() {
        return "remove " + names(gone) + " and keep " + name(kept);
      }
    }

    /** An entry gets a link to another one. */
    record Link(NamedEntry from, NamedEntry target) implements Change {
      @Override
      public String words() {
        return "link " + name(from) + " to " + name(target);
      }
    }

    /** An entry moves to another topic. */
    record Move(NamedEntry entry, String topic) implements Change {
      @Override
      public String words() {
        String to =
            NoteName.of(entry.entry())
                .map(place -> place.isWholeFile() ? "to the folder " : "into a file in the folder ")
                .orElse("to ");
        return "move " + name(entry) + " " + to + QuotedName.of(topic);
      }
    }

    /** All entries of a topic move into another topic. */
    record MergeTopics(String small, String large) implements Change {
      @Override
      public String words() {
        return (NoteName.isFolder(small) ? "move the files of the folder " : "move all of ")
            + QuotedName.of(small)
            + " into "
            + QuotedName.of(large);
      }
    }

    /**
     * An entry gets the present name of something.
     *
     * @param from name as the entry writes it
     */
    record Rename(NamedEntry entry, String from, String to) implements Change {
      @Override
      public String words() {
        return "let "
            + name(entry)
            + " say "
            + QuotedName.of(to)
            + " instead of "
            + QuotedName.of(from);
      }
    }

    /**
     * A reader checks an entry again, because no call can tell the right text.
     *
     * @param named name in the entry that has changed
     */
    record Reread(NamedEntry entry, String named) implements Change {
      @Override
      public String words() {
        return "read "
            + name(entry)
            + " again: let it say what is so now about "
            + QuotedName.of(named)
            + ", or remove it";
      }
    }

    /**
     * A new entry states what others have in common, and links to them.
     *
     * @param topic topic of the new entry
     */
    record Gather(List<NamedEntry> entries, String topic, String text) implements Change {
      @Override
      public String words() {
        return (NoteName.of(entries.getFirst().entry()).isPresent()
                ? "write a note"
                : "store an entry under " + QuotedName.of(topic))
            + ", "
            + QuotedName.of(text)
            + ", that links to "
            + names(entries);
      }
    }

    /** An entry gets a text that includes what others say, and the others are removed. */
    record Rewrite(NamedEntry kept, List<NamedEntry> gone, String text) implements Change {
      @Override
      public String words() {
        return "give " + name(kept) + " the proposed text and remove " + names(gone);
      }
    }
  }

  /** Returns the first names, and the number of the others, as text. */
  static String names(List<NamedEntry> entries) {
    int more = entries.size() - NAMED;
    return entries.stream().limit(NAMED).map(Act::name).collect(Collectors.joining(", "))
        + (more > 0 ? " and %,d more".formatted(more) : "");
  }

  /**
   * Returns the name of an entry. The name of a part of a file tells that it is a part, so that the
   * reader does not remove the whole file.
   */
  static String name(NamedEntry entry) {
    return NoteName.of(entry.entry())
        .map(NoteName::words)
        .orElseGet(() -> QuotedName.of(entry.name()));
  }
}
