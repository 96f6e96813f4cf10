package dev.helixbg.insight.acts;

import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;

/** Describes the steps by which a person or an agent carries out an act on notes. */
final class NoteSteps {
  private NoteSteps() {}

  /** Returns the words of a change, and what must be done before or after it. */
  static String of(Change change) {
    return switch (change) {
      case Change.Remove(List<NamedEntry> gone, NamedEntry kept) -> {
        boolean areEqual = gone.stream().allMatch(one -> one.content().equals(kept.content()));
        String copy = "copy facts that are only in %s into %s; ";
        yield (areEqual ? "" : copy.formatted(Act.names(gone), Act.name(kept)))
            + change.words()
            + relinking(gone, kept);
      }
      case Change.Rewrite(NamedEntry kept, List<NamedEntry> gone, _) ->
          change.words() + relinking(gone, kept);
      case Change.Link(NamedEntry from, NamedEntry target) -> {
        NoteName to = NoteName.of(target.entry()).orElseThrow();
        yield "%s, in the form %s%s"
            .formatted(
                change.words(),
                to.wikiLink().map(wiki -> wiki + " or as ").orElse(""),
                to.linkFrom(NoteName.of(from.entry()).orElseThrow()));
      }
      case Change.MergeTopics(String small, String large) ->
          change.words()
              // a topic has hyphens in place of its folder's blanks
              + ((small + large).contains("-") ? " (a hyphen may stand for a blank)" : "")
              + ", and fix links that name their paths";
      case Change.Gather _, Change.Rename _, Change.Reread _ -> change.words();
    };
  }

  private static String relinking(List<NamedEntry> gone, NamedEntry kept) {
    String them = gone.size() == 1 ? "it" : "them";
    return "; change links to %s into links to %s".formatted(them, Act.name(kept));
  }
}
