package dev.helixbg.insight.acts;

import dev.helixbg.insight.acts.Act.When;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.log.EntryText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Makes edits out of findings: of each, what can be done about it, as calls of helix's tools. What
 * is known of those tools, and from where, is in docs/decisions/0072-edits-for-helix.md.
 *
 * <p>The calls of one act are carried out in their order and fit the knowledge base as it was read.
 * Whatever helix edits moves to the end of its topic, so {@code topic:index} is good for one edit
 * only; entries are named by words of their own wherever they have some.
 */
public final class Acts {
  /** Without any: for what is in several knowledge bases, where no one helix can edit it. */
  public static final Acts NONE = new Acts(List.of());

  /** A topic that helix keeps as it is when it stores under it. */
  private static final Pattern PLAIN_TOPIC = Pattern.compile("[a-z0-9]+(?:(?:-+|/)[a-z0-9]+)*");

  /** What is longer is for no command line. */
  private static final int MAX_TEXT = 8_000;

  private final boolean none;
  private final Matches matches;

  /**
   * @param entries all live ones of one knowledge base
   */
  public Acts(List<NamedEntry> entries) {
    none = entries.isEmpty();
    matches = new Matches(entries);
  }

  /**
   * @param verdict of a model or a person; without one there is an act for each that it may be
   */
  public List<Act> on(Finding.OfTwo pair, Optional<PairVerdict> verdict) {
    if (none) {
      return List.of();
    }
    if (verdict.isEmpty()) {
      return onUnjudged(pair.a(), pair.b());
    }
    NamedEntry a = pair.a();
    NamedEntry b = pair.b();
    return switch (verdict.get().verdict()) {
      case SAME -> List.of(remove(List.of(When.SAME), fuller(a, b) == a ? b : a, fuller(a, b)));
      case OVERTAKEN ->
          List.of(remove(List.of(When.OVERTAKEN), older(a, b), older(a, b) == a ? b : a));
      case RELATED -> List.of(link(a, b));
      case DIFFERENT -> List.of();
    };
  }

  /** The smaller topic goes into the larger one. */
  public List<Act> on(Finding.TopicOverlap overlap) {
    if (none) {
      return List.of();
    }
    boolean aIsSmaller = overlap.entriesA() < overlap.entriesB();
    String small = aIsSmaller ? overlap.a() : overlap.b();
    String large = aIsSmaller ? overlap.b() : overlap.a();
    if (!PLAIN_TOPIC.matcher(large).matches() && PLAIN_TOPIC.matcher(small).matches()) {
      String other = small;
      small = large;
      large = other;
    }
    return List.of(
        new Act(
            List.of(When.OVERLAP),
            "move all of " + small + " into " + large,
            PLAIN_TOPIC.matcher(large).matches()
                ? List.of(HelixCall.of("edit", "action", "merge", "topic", small, "into", large))
                : List.of()));
  }

  /** Helix moves whole topics only: the entry is stored anew, then deleted. */
  public List<Act> on(Finding.Misfiled misfiled) {
    if (none) {
      return List.of();
    }
    NamedEntry entry = misfiled.entry();
    EntryText text = entry.entry().text();
    boolean callable =
        PLAIN_TOPIC.matcher(misfiled.nearer()).matches()
            && !text.content().isBlank()
            && text.content().length() <= MAX_TEXT;
    List<HelixCall> calls = new ArrayList<>();
    if (callable) {
      calls.add(
          HelixCall.of(
              "store",
              "topic",
              misfiled.nearer(),
              "text",
              text.content(),
              "tags",
              String.join(", ", text.tags()),
              "source",
              text.source().orElse(""),
              "confidence",
              text.confidence().isPresent() ? "" + text.confidence().getAsDouble() : "",
              "links",
              links(entry, List.of(entry), List.of())));
      calls.add(delete(entry));
    }
    return List.of(
        new Act(
            List.of(When.MISFILED), "move " + entry.name() + " to " + misfiled.nearer(), calls));
  }

  /** The fullest of the entries gets the text, the others go. */
  public List<Act> on(Judgements.Merge merge) {
    if (none) {
      return List.of();
    }
    NamedEntry kept = merge.entries().stream().reduce(Acts::fuller).orElseThrow();
    List<NamedEntry> gone = merge.entries().stream().filter(one -> one != kept).toList();
    List<HelixCall> calls = new ArrayList<>();
    if (merge.text().length() <= MAX_TEXT) {
      calls.add(edit("revise", kept, "text", metadata(kept, merge.entries()) + merge.text()));
      gone.forEach(one -> calls.add(delete(one)));
    }
    String names = gone.stream().map(NamedEntry::name).collect(Collectors.joining(", "));
    return List.of(
        new Act(
            List.of(When.SAME),
            "give " + kept.name() + " the proposed text and remove " + names,
            calls));
  }

  private List<Act> onUnjudged(NamedEntry a, NamedEntry b) {
    NamedEntry older = older(a, b);
    NamedEntry newer = older == a ? b : a;
    if (fuller(a, b) == newer) {
      return List.of(remove(List.of(When.SAME, When.OVERTAKEN), older, newer), link(a, b));
    }
    return List.of(
        remove(List.of(When.SAME), newer, older),
        remove(List.of(When.OVERTAKEN), older, newer),
        link(a, b));
  }

  private Act remove(List<When> when, NamedEntry gone, NamedEntry kept) {
    return new Act(
        when, "remove " + gone.name() + " and keep " + kept.name(), List.of(delete(gone)));
  }

  /** The later one gets the link: nothing before it in its topic changes its place. */
  private Act link(NamedEntry target, NamedEntry from) {
    String topic = target.entry().topic();
    boolean callable = topic.chars().noneMatch(Character::isWhitespace) && !topic.isEmpty();
    String line = "[links: " + links(from, List.of(from), List.of(target)) + "]";
    return new Act(
        List.of(When.RELATED),
        "link " + from.name() + " to " + target.name(),
        callable ? List.of(edit("append", from, "text", line)) : List.of());
  }

  private HelixCall delete(NamedEntry entry) {
    return edit("delete", entry, "text", "");
  }

  /** By words of its own, else by its place. */
  private HelixCall edit(String action, NamedEntry entry, String argument, String value) {
    Optional<String> match = matches.of(entry);
    return HelixCall.of(
        "edit",
        "action",
        action,
        "topic",
        entry.entry().topic(),
        match.isPresent() ? "match_str" : "index",
        match.orElseGet(() -> "" + entry.index()),
        argument,
        value);
  }

  /** What helix's revise would drop: metadata lines as helix writes them, with everybody's tags. */
  private static String metadata(NamedEntry kept, List<NamedEntry> all) {
    EntryText text = kept.entry().text();
    Set<String> tags = new LinkedHashSet<>(text.tags());
    all.forEach(one -> tags.addAll(one.entry().text().tags()));
    String links = links(kept, all, List.of());
    return (tags.isEmpty() ? "" : "[tags: " + String.join(", ", tags) + "]\n")
        + text.source().map(source -> "[source: " + source + "]\n").orElse("")
        + (text.confidence().isPresent()
            ? "[confidence: " + text.confidence().getAsDouble() + "]\n"
            : "")
        + (links.isEmpty() ? "" : "[links: " + links + "]\n");
  }

  /**
   * The links of an entry and further ones, blanks between: of two lines only the last counts for
   * helix.
   *
   * @param gone entries that leave their places, so that those behind move up
   */
  private static String links(NamedEntry entry, List<NamedEntry> gone, List<NamedEntry> further) {
    List<String> links = new ArrayList<>();
    for (EntryText.Link link : entry.entry().text().links()) {
      if (gone.stream().noneMatch(one -> isAt(one, link))) {
        links.add(link.topic() + ":" + (link.index() - before(gone, link)));
      }
    }
    for (NamedEntry one : further) {
      EntryText.Link link = new EntryText.Link(one.entry().topic(), one.index());
      links.add(link.topic() + ":" + (link.index() - before(gone, link)));
    }
    return String.join(" ", links);
  }

  private static boolean isAt(NamedEntry entry, EntryText.Link link) {
    return entry.index() == link.index() && entry.entry().topic().equals(link.topic());
  }

  private static long before(List<NamedEntry> gone, EntryText.Link link) {
    return gone.stream()
        .filter(one -> one.entry().topic().equals(link.topic()) && one.index() < link.index())
        .count();
  }

  /** The one with the longer text; of equals the later one. */
  private static NamedEntry fuller(NamedEntry a, NamedEntry b) {
    int one = a.entry().text().content().strip().length();
    int other = b.entry().text().content().strip().length();
    if (one != other) {
      return one > other ? a : b;
    }
    return a.entry().offset() > b.entry().offset() ? a : b;
  }

  private static NamedEntry older(NamedEntry a, NamedEntry b) {
    return a.isOlderThan(b) ? a : b;
  }
}
