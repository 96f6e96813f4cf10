package dev.helixbg.insight.acts;

import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * How an act on notes is carried out, in words: no tool of helix knows their files, so somebody
 * edits them, a person or an agent.
 */
final class NoteSteps {
  private NoteSteps() {}

  /**
   * @param folderOf what a topic is called as a folder
   */
  static String of(Change change, UnaryOperator<String> folderOf) {
    return switch (change) {
      case Change.Remove remove ->
          "%sdelete %s; let links to %s lead to %s"
              .formatted(
                  areCopies(remove)
                      ? ""
                      : "bring what only %s says into %s; "
                          .formatted(places(remove.gone()), place(remove.kept())),
                  places(remove.gone()),
                  them(remove.gone()),
                  place(remove.kept()));
      case Change.Link link -> {
        NoteName from = NoteName.of(link.from().name());
        NoteName target = NoteName.of(link.target().name());
        yield "write a link into %s, as %s or as %s"
            .formatted(from.words(), target.wikiLink(), target.linkFrom(from));
      }
      case Change.Move move ->
          NoteName.of(move.entry().name()).isWholeFile()
              ? "move %s to the folder %s, and mend links that name its path"
                  .formatted(place(move.entry()), folderOf.apply(move.topic()))
              : "move %s into a file in the folder %s"
                  .formatted(place(move.entry()), folderOf.apply(move.topic()));
      case Change.MergeTopics merge ->
          "move the files of the folder %s into %s, and mend links that name their paths"
              .formatted(folderOf.apply(merge.small()), folderOf.apply(merge.large()));
      case Change.Rename _, Change.Reread _ -> change.words();
      case Change.Rewrite rewrite ->
          "put the proposed text in place of that of %s; delete %s; let links to %s lead to %s"
              .formatted(
                  place(rewrite.kept()),
                  places(rewrite.gone()),
                  them(rewrite.gone()),
                  place(rewrite.kept()));
    };
  }

  /** Whether nothing is lost. */
  private static boolean areCopies(Change.Remove remove) {
    String text = remove.kept().entry().text().content();
    return remove.gone().stream().allMatch(one -> one.entry().text().content().equals(text));
  }

  private static String them(List<NamedEntry> entries) {
    return entries.size() == 1 ? "it" : "them";
  }

  private static String place(NamedEntry entry) {
    return NoteName.of(entry.name()).words();
  }

  private static String places(List<NamedEntry> entries) {
    return entries.stream().map(NoteSteps::place).collect(Collectors.joining(" and "));
  }
}
