package dev.helixbg.insight.acts;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One way to deal with a finding: a change of a knowledge base. {@link ActPlanner} plans the calls
 * that make the change only when they are about to be made.
 *
 * @param when what must be true of the finding; one of them is enough
 */
public record Act(List<When> when, Change change) {
  /** Most entries that an act names; there may be hundreds of copies. */
  private static final int NAMED = 20;

  public Act {
    when = List.copyOf(when);
  }

  /** Returns the change, as an order to the reader. */
  public String words() {
    return change.words();
  }

  /** A condition that a reader finds to be true. */
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
    /** The source code that an entry names has changed by now. */
    MOVED,
    /** The entries teach one lesson. */
    RECURRING;

    /** Returns the name used in files. */
    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The difference that an act makes once it is carried out. */
  public sealed interface Change {
    String words();

    /** Entries go, and another one stands for them. */
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

    /** An entry goes to another topic. */
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

    /** All entries of a topic go into another one. */
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
     * An entry names something by its present name.
     *
     * @param from as it stands in the entry
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
     * A reader looks at an entry again; what has to change, no call can say.
     *
     * @param named what it names that is otherwise by now
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
     * A new entry says what others have in common, and links to them; nothing else changes.
     *
     * @param topic of the new entry
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

    /** An entry gets a text that says what others say, too, and those go. */
    record Rewrite(NamedEntry kept, List<NamedEntry> gone, String text) implements Change {
      @Override
      public String words() {
        return "give " + name(kept) + " the proposed text and remove " + names(gone);
      }
    }
  }

  /** Names in a sentence: the first of them, and how many there are beside. */
  static String names(List<NamedEntry> entries) {
    int more = entries.size() - NAMED;
    return entries.stream().limit(NAMED).map(Act::name).collect(Collectors.joining(", "))
        + (more > 0 ? " and %,d more".formatted(more) : "");
  }

  /**
   * Returns the name of an entry. The name of a part of a file says that it is a part, so that the
   * reader does not remove the whole file.
   */
  static String name(NamedEntry entry) {
    return NoteName.of(entry.entry())
        .map(NoteName::words)
        .orElseGet(() -> QuotedName.of(entry.name()));
  }
}
