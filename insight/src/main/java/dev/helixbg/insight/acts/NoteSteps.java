package dev.helixbg.insight.acts;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Describes the steps by which a person or an agent carries out an act on notes. */
final class NoteSteps {
  private NoteSteps() {}

  /** Returns the steps of a change. {@code foldersOf} returns the folders of a topic's notes. */
  static String of(Change change, Function<String, List<String>> foldersOf) {
    return switch (change) {
      case Change.Remove remove ->
          "%sdelete %s; change links to %s into links to %s"
              .formatted(
                  remove.gone().stream()
                          .allMatch(one -> one.content().equals(remove.kept().content()))
                      ? ""
                      : "if a fact is only in %s, copy it into %s; "
                          .formatted(places(remove.gone()), place(remove.kept())),
                  places(remove.gone()),
                  them(remove.gone()),
                  place(remove.kept()));
      case Change.Link link -> {
        NoteName from = NoteName.of(link.from().entry()).orElseThrow();
        NoteName target = NoteName.of(link.target().entry()).orElseThrow();
        yield "write a link to %s into %s, in the form %s%s"
            .formatted(
                target.words(),
                from.words(),
                target.wikiLink().map(wiki -> wiki + " or as ").orElse(""),
                target.linkFrom(from));
      }
      case Change.MergeTopics merge ->
          "move the files of the folder %s into %s, and fix links that name their paths"
              .formatted(
                  folder(foldersOf.apply(merge.small()), " and "),
                  folder(foldersOf.apply(merge.large()), " or "));
      case Change.Gather gather ->
          "write a note that says %s, with links to %s"
              .formatted(QuotedName.of(gather.text()), places(gather.entries()));
      case Change.Rename _, Change.Reread _ -> change.words();
      case Change.Rewrite rewrite ->
          ("replace the text of %1$s by the proposed text; delete %2$s; change links to %3$s into"
                  + " links to %1$s")
              .formatted(place(rewrite.kept()), places(rewrite.gone()), them(rewrite.gone()));
    };
  }

  private static String them(List<NamedEntry> entries) {
    return entries.size() == 1 ? "it" : "them";
  }

  private static String folder(List<String> folders, String between) {
    return folders.stream().map(QuotedName::of).collect(Collectors.joining(between));
  }

  private static String place(NamedEntry entry) {
    return NoteName.of(entry.entry()).orElseThrow().words();
  }

  private static String places(List<NamedEntry> entries) {
    return entries.stream().map(NoteSteps::place).collect(Collectors.joining(" and "));
  }
}
