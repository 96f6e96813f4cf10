package dev.helixbg.insight.acts;

import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.acts.Act.When;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.notes.CopyName;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.notes.Scope;
import dev.helixbg.insight.pairs.MeaningDifference;
import dev.helixbg.insight.sources.SourceMentions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the possible acts on a finding. A reader chooses one of these acts. */
public final class Acts {
  private static final String LESSONS = "lessons";

  private Acts() {}

  /**
   * Returns the acts that a verdict on a pair suggests. If there is no verdict, returns the acts
   * for each possible verdict.
   */
  public static List<Act> on(NamedEntry a, NamedEntry b, Optional<Verdict> verdict) {
    NamedEntry older = a.isOlderThan(b) ? a : b;
    NamedEntry newer = older == a ? b : a;
    NamedEntry kept = fuller(a, b);
    NamedEntry gone = kept == a ? b : a;
    boolean eitherMayGo = !a.isAgeKnown(b) && disagree(a, b);
    if (verdict.isPresent()) {
      return switch (verdict.get()) {
        case SAME -> removals(When.SAME, gone, kept, !eitherMayGo);
        case OVERTAKEN -> removals(When.OVERTAKEN, older, newer, a.isAgeKnown(b));
        case RELATED -> link(a, b);
        case DIFFERENT -> List.of();
      };
    }
    List<Act> acts = new ArrayList<>();
    if (eitherMayGo) {
      acts.addAll(removals(When.OVERTAKEN, gone, kept, false));
    } else if (!a.isAgeKnown(b)) {
      acts.add(remove(List.of(When.SAME), gone, kept));
    } else if (kept == newer) {
      acts.add(remove(List.of(When.SAME, When.OVERTAKEN), older, newer));
    } else {
      acts.add(remove(List.of(When.SAME), newer, older));
      acts.add(remove(List.of(When.OVERTAKEN), older, newer));
    }
    acts.addAll(link(a, b));
    return acts;
  }

  private static List<Act> removals(
      When when, NamedEntry gone, NamedEntry kept, boolean isDecided) {
    Act act = remove(List.of(when), gone, kept);
    return isDecided && lacks(kept, gone).isEmpty()
        ? List.of(act)
        : List.of(act, remove(List.of(when), kept, gone));
  }

  /** Returns in words why {@code kept} cannot replace {@code gone}; empty if it can. */
  public static Optional<String> lacks(NamedEntry kept, NamedEntry gone) {
    return Scope.of(kept.entry()).lacks(Scope.of(gone.entry()));
  }

  /**
   * Returns the act that removes all copies except the copy that {@link #moreToKeep} chooses. Empty
   * if each of the entries is needed, see {@link Scope}.
   */
  public static List<Act> onCopies(List<NamedEntry> copies) {
    return copies.stream()
        .sorted(moreToKeep(copies).reversed())
        .map(kept -> new Change.Remove(covered(copies, kept), kept))
        .filter(remove -> !remove.gone().isEmpty())
        .findFirst()
        .map(remove -> one(When.SAME, remove))
        .orElse(List.of());
  }

  private static List<NamedEntry> covered(List<NamedEntry> copies, NamedEntry kept) {
    return copies.stream().filter(one -> one != kept && lacks(kept, one).isEmpty()).toList();
  }

  /** Returns the act that merges the smaller topic into the larger topic. */
  public static List<Act> onOverlap(String a, int entriesA, String b, int entriesB) {
    String small = entriesA < entriesB ? a : b;
    String large = entriesA < entriesB ? b : a;
    boolean swap = !ActPlanner.isPlainTopic(large) && ActPlanner.isPlainTopic(small);
    return one(When.OVERLAP, new Change.MergeTopics(swap ? large : small, swap ? small : large));
  }

  /**
   * Returns the act that replaces an outdated file name in an entry by the file's likely new path.
   * If that path is unknown, or cannot be written into an entry (see {@link
   * SourceMentions#isPlace}), returns the act to read the entry again.
   *
   * @param named name of the file, as the entry writes it
   */
  public static List<Act> onMoved(NamedEntry entry, String named, Optional<String> now) {
    return one(
        When.MOVED,
        now.filter(SourceMentions::isPlace)
            .<Change>map(place -> new Change.Rename(entry, named, place))
            .orElseGet(() -> new Change.Reread(entry, named)));
  }

  /** Returns the act that gives the text to the {@link #fuller} entry and removes the others. */
  public static List<Act> onMerge(List<NamedEntry> entries, String text) {
    NamedEntry kept = entries.stream().reduce(Acts::fuller).orElseThrow();
    List<NamedEntry> gone = entries.stream().filter(one -> one != kept).toList();
    return one(When.SAME, new Change.Rewrite(kept, gone, text));
  }

  /** Returns the act that adds an entry with the lesson to the topic {@value #LESSONS}. */
  public static List<Act> onLesson(List<NamedEntry> entries, String text) {
    return one(When.RECURRING, new Change.Gather(entries, LESSONS, text));
  }

  private static List<Act> one(When when, Change change) {
    return List.of(new Act(List.of(when), change));
  }

  /**
   * Whether two facts may contradict each other. If it is unknown which fact is older, only a
   * reader can tell which fact to keep, because the longer text may be wrong.
   */
  private static boolean disagree(NamedEntry a, NamedEntry b) {
    return a.entry().isFact()
        && b.entry().isFact()
        && MeaningDifference.of(a.content(), b.content()).objection().isPresent();
  }

  private static Act remove(List<When> when, NamedEntry gone, NamedEntry kept) {
    return new Act(when, new Change.Remove(List.of(gone), kept));
  }

  /** Returns the act that links two entries; empty if they are already linked. */
  private static List<Act> link(NamedEntry target, NamedEntry from) {
    return areLinked(target, from) ? List.of() : one(When.RELATED, new Change.Link(from, target));
  }

  /** Whether one of two entries links to the other, or both are parts of one file. */
  public static boolean areLinked(NamedEntry a, NamedEntry b) {
    return linksTo(a, b) || linksTo(b, a) || NoteName.areInOneFile(a.entry(), b.entry());
  }

  /** Whether any entry of a knowledge base links to all entries in {@code some}. */
  public static boolean areGathered(List<NamedEntry> all, List<NamedEntry> some) {
    return all.stream().anyMatch(one -> some.stream().allMatch(target -> linksTo(one, target)));
  }

  private static boolean linksTo(NamedEntry from, NamedEntry target) {
    return from.text().links().contains(target.link());
  }

  /** Returns the entry with the longer text, unless its file name marks it as a copy. */
  private static NamedEntry fuller(NamedEntry a, NamedEntry b) {
    List<NamedEntry> both = List.of(a, b);
    Set<String> names = CopyName.names(both.stream().flatMap(one -> note(one).stream()));
    return both.stream()
        .max(
            Comparator.comparing((NamedEntry one) -> !isCopy(one, names))
                .thenComparing(one -> one.content().strip().length())
                .thenComparing(moreToKeep(both)))
        .orElseThrow();
  }

  /**
   * Returns an order of copies, in which the copy to keep is last. A copy comes later for these
   * reasons, the most important first: more sessions load it; other entries link to it; its file
   * name does not mark it as a copy; it has tags and a time; its file name is short (notes) or its
   * body is long (entries of helix); its offset is late.
   */
  private static Comparator<NamedEntry> moreToKeep(List<NamedEntry> all) {
    Set<String> names = CopyName.names(all.stream().flatMap(one -> note(one).stream()));
    return Comparator.comparingInt((NamedEntry one) -> Scope.of(one.entry()).breadth())
        .thenComparing(NamedEntry::linked)
        .thenComparing(one -> !isCopy(one, names))
        .thenComparing(
            one ->
                (one.text().tags().isEmpty() ? 0 : 1) + (one.entry().timestampMin() == 0 ? 0 : 1))
        .thenComparing(
            one -> note(one).map(note -> -note.file().length()).orElse(one.entry().body().length()))
        .thenComparing(one -> one.entry().offset());
  }

  private static Optional<NoteName> note(NamedEntry one) {
    return NoteName.of(one.entry());
  }

  private static boolean isCopy(NamedEntry one, Set<String> names) {
    return note(one).filter(note -> CopyName.isCopy(note, names)).isPresent();
  }
}
