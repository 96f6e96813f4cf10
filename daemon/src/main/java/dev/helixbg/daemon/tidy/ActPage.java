package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.pairs.WordDifference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;

/** Page that shows what an act (a planned edit) would change and lose. */
record ActPage(Ink ink, Shown shown, ObjectNode act, FindingRequests findings) {
  private static final Map<String, String> FATES =
      Map.of(
          "remove", "goes",
          "keep", "stays",
          "from", "gets a link",
          "to", "is linked to",
          "move", "moves",
          "rewrite", "gets the merged text",
          "change", "is changed",
          "read", "is to be read again",
          "link", "is linked to");

  /** Maximum width of an entry's title, so that the entry's name fits beside it in 80 columns. */
  private static final int TITLE = 48;

  /** Maximum number of listed words that only the removed note has; 60 fill 6 or 7 lines. */
  private static final int MOST_WORDS = 60;

  String words() {
    return act.path("do").asText();
  }

  TextPage page(boolean ofNotes, Optional<Path> helix) {
    List<AttributedString> text = new ArrayList<>();
    act.path("names").forEach(name -> text.add(fate(name)));
    for (NamedEntry gone : of("remove")) {
      String only = ownWords(gone);
      text.add(
          ink.text(
              only.isEmpty()
                  ? "\nAll its words, except short and very common ones, are also in the kept text."
                  : "\nOnly " + gone.name() + " says: " + only));
    }
    shown.merged().ifPresent(merged -> text.add(ink.text("\nThe merged text:\n" + merged)));
    if (!act.path("losses").isEmpty()) {
      text.add(ink.text("\nLost:"));
      act.path("losses").forEach(loss -> text.add(ink.gone("  " + loss.asText())));
    }
    text.add(ink.text(""));
    if (act.path("edits").isEmpty()) {
      text.add(ink.text(how(ofNotes, helix)));
    } else {
      text.addAll(edits());
    }
    String words = words();
    return new TextPage(
        ink.warning(words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1) + "?"),
        text);
  }

  private List<AttributedString> edits() {
    List<AttributedString> text = new ArrayList<>();
    for (JsonNode edit : act.path("edits")) {
      text.add(ink.bold("In " + edit.path("file").asText() + ":"));
      for (JsonNode span : edit.path("spans")) {
        text.add(ink.gone(span.path("was").asText().stripTrailing()));
        if (!span.path("is").asText().isEmpty()) {
          text.add(ink.text("becomes"));
          text.add(ink.kept(span.path("is").asText().stripTrailing()));
        }
      }
    }
    text.add(
        ink.text("\nhelix-bg rewrites the file in one step. The key u takes the change back."));
    return text;
  }

  private String how(boolean ofNotes, Optional<Path> helix) {
    String byHand = act.path("byHand").asText();
    if (ofNotes) {
      return "Edit by hand, in " + act.path("folder").asText() + ": " + byHand;
    }
    if (act.has("byHand")) {
      return "helix cannot make this edit: " + byHand;
    }
    if (helix.isEmpty()) {
      return "There is no helix on PATH, and the setting helix.command is empty. A coding agent"
          + " that has the tools of helix and of helix-bg can make these calls; the key y"
          + " copies them. Make them in this order, and stop at the first call that fails:\n"
          + calls();
    }
    long calls =
        act.path("calls")
            .valueStream()
            .filter(call -> !call.path("name").asText().equals("act"))
            .count();
    return "%s makes %d %s, and helix-bg checks the notes before and between the calls. Then %s."
        .formatted(
            helix.get(),
            calls,
            calls == 1 ? "call" : "calls",
            act.path("undo").isEmpty()
                ? "no call can take this back"
                : "the key u takes this back: the text returns to the end of its topic");
  }

  String calls() {
    return act.path("calls")
        .valueStream()
        .map(JsonNode::toString)
        .collect(Collectors.joining("\n"));
  }

  private AttributedString fate(JsonNode name) {
    String role = name.path("role").asText();
    String fate = "%-12s ".formatted(FATES.getOrDefault(role, role));
    Optional<NamedEntry> entry = entry(name);
    String title =
        PrintableText.excerpt(
            entry
                .map(NamedEntry::title)
                .orElse(name.path("topic").asText(name.path("text").asText())),
            TITLE);
    AttributedString what =
        switch (role) {
          case "remove" -> ink.gone(fate + title);
          case "keep" -> ink.kept(fate + title);
          default -> ink.bold(fate + title);
        };
    return AttributedString.join(
        AttributedString.EMPTY, what, ink.faint(entry.map(one -> "  " + one.name()).orElse("")));
  }

  List<NamedEntry> of(String role) {
    return act.path("names")
        .valueStream()
        .filter(name -> name.path("role").asText().equals(role))
        .flatMap(name -> entry(name).stream())
        .toList();
  }

  private Optional<NamedEntry> entry(JsonNode name) {
    return findings.present().entries().all().stream()
        .filter(one -> isCalled(one, name))
        .findFirst();
  }

  private static boolean isCalled(NamedEntry entry, JsonNode name) {
    Optional<NoteName> note = NoteName.of(entry.entry());
    return note.isPresent()
        ? note.get().file().equals(name.path("file").asText())
            && note.get().heading().equals(name.path("heading").asText())
            && note.get().part().equals(name.path("part").asText())
        : name.has("index")
            && entry.entry().topic().equals(name.path("topic").asText())
            && entry.index() == name.path("index").asInt();
  }

  private String ownWords(NamedEntry gone) {
    String kept =
        shown
            .merged()
            .orElseGet(
                () ->
                    of("keep").stream()
                        .map(one -> one.entry().text().content())
                        .collect(Collectors.joining("\n")));
    List<String> words =
        WordDifference.besides(WordDifference.begin(kept)).list(gone.entry().text().content());
    return words.stream().limit(MOST_WORDS).collect(Collectors.joining(", "))
        + (words.size() > MOST_WORDS ? " and %d more".formatted(words.size() - MOST_WORDS) : "");
  }

  /** Returns which entry of a pair the act removes, {@code a} or {@code b}; empty if both stay. */
  Optional<String> removedSide() {
    if (!shown.isPair()) {
      return Optional.empty();
    }
    long first = shown.entries().getFirst().entry().offset();
    return of("keep").stream().map(kept -> kept.entry().offset() == first ? "b" : "a").findFirst();
  }

  /** Returns the copies that the act removes; empty unless each of these copies is a whole file. */
  List<NamedEntry> copies() {
    List<NamedEntry> gone = of("remove");
    return shown.finding().section().equals("copies")
            && gone.stream()
                .allMatch(one -> NoteName.of(one.entry()).filter(NoteName::isWholeFile).isPresent())
        ? gone
        : List.of();
  }
}
