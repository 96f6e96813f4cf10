package dev.helixbg.insight.acts;

import static dev.helixbg.insight.acts.NotCallableException.require;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.acts.ActPlan.Check;
import dev.helixbg.insight.acts.ActPlan.HelixCall;
import dev.helixbg.insight.acts.LinksAfter.Fate;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.EntryText.Link;
import dev.helixbg.insight.log.LogAccount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Plans acts on one knowledge base in its present state, as calls of helix's tools (see
 * docs/decisions/0072-edits-for-helix.md). The calls do not change the content of entries that the
 * act does not concern. Every link keeps its target; if the act removes the target, the link leads
 * to the entry that replaces it.
 *
 * <p>An entry that helix edits moves to the end of its topic. A call therefore names an entry by
 * words that no other body of its topic has. A link names its target by the target's place in its
 * topic, so an entry whose links would lead elsewhere gets new links. Setting new links moves that
 * entry, too, so the planning is repeated until no link changes.
 */
public final class ActPlanner {
  /** Pattern of a topic's name that helix stores unchanged. */
  private static final Pattern PLAIN_TOPIC = Pattern.compile("[a-z0-9]+(?:(?:-+|/)[a-z0-9]+)*");

  /** Maximum number of entries that one act removes or rewrites; a person cannot review more. */
  private static final int MAX_MARKED = 60;

  /** Maximum width, in columns, of the excerpt by which a person recognises an entry. */
  private static final int SOUGHT = 200;

  private final Map<String, List<NamedEntry>> topics;
  private final List<NamedEntry> linking;

  /** Entries whose body contains the mark of an act that is running or was stopped. */
  private final List<NamedEntry> marked;

  private final Optional<String> unsafe;

  /** {@code entries} are all live entries of the log. */
  public ActPlanner(List<NamedEntry> entries, LogAccount log) {
    topics = entries.stream().collect(Collectors.groupingBy(NamedEntry::topic));
    linking = entries.stream().filter(one -> !one.text().links().isEmpty()).toList();
    marked = entries.stream().filter(one -> ActMark.isOn(one.entry().body())).toList();
    unsafe =
        log.damage().stream()
            .filter(damage -> damage.kind() != LogAccount.Kind.INVALID_UTF8)
            .findFirst()
            .map(
                damage ->
                    ("helix reads data.log only as far as offset %d, where a record is damaged:"
                            + " helix would not find entries that it appends now. First repair the"
                            + " log; helix-bg verify shows the damage")
                        .formatted(damage.offset()));
  }

  static boolean isPlainTopic(String topic) {
    return PLAIN_TOPIC.matcher(topic).matches();
  }

  public ActPlan plan(Act act) {
    if (unsafe.isPresent()) {
      return ActPlan.byHand(unsafe.get());
    }
    try {
      return new Plan(act.change()).plan();
    } catch (NotCallableException e) {
      return ActPlan.byHand(e.getMessage());
    }
  }

  private final class Plan {
    private final Change change;

    /** Effect of the act on each edited entry, in the order of the act's calls. */
    private final Map<NamedEntry, Fate> fates = new LinkedHashMap<>();

    private final LinksAfter after;

    private final Map<NamedEntry, String> bodies = new HashMap<>();

    /** The hash in the mark of each removed or rewritten entry, in the order of the calls. */
    private final Map<NamedEntry, String> marks = new LinkedHashMap<>();

    Plan(Change change) {
      this.change = change;
      this.after = new LinksAfter(change, topics, linking, fates);
    }

    ActPlan plan() {
      switch (change) {
        case Change.Remove remove -> remove.gone().forEach(one -> fates.put(one, Fate.DELETED));
        case Change.Link link -> {
          requireLinkable(link.target().topic());
          fates.put(link.from(), Fate.APPENDED);
        }
        case Change.MergeTopics merge -> requirePlain(merge.large());
        case Change.Rewrite rewrite -> {
          fates.put(rewrite.kept(), Fate.REVISED);
          rewrite.gone().forEach(one -> fates.put(one, Fate.DELETED));
        }
        case Change.Rename rename -> {
          EntryBodies.requireKeepable(rename.entry());
          fates.put(rename.entry(), Fate.REVISED);
        }
        case Change.Gather gather -> gather.entries().forEach(one -> requireLinkable(one.topic()));
        case Change.Reread _ ->
            throw new NotCallableException("only a reader of the entry can decide on its new text");
      }
      after.settle();
      write();
      mark();
      List<HelixCall> marking = new ArrayList<>();
      marks.forEach(
          (one, hash) ->
              marking.add(HelixCall.edit("append", one.topic(), words(one), ActMark.line(hash))));
      return new ActPlan(
          checks(),
          marking,
          List.copyOf(marks.values()),
          calls(),
          Optional.empty(),
          losses(),
          undo());
    }

    private void write() {
      switch (change) {
        case Change.Link(NamedEntry from, NamedEntry target) -> {
          List<Link> links = new ArrayList<>(after.linksAfter(from));
          links.add(after.place(target));
          bodies.put(from, EntryBodies.appended(from, links));
        }
        case Change.Rewrite rewrite -> bodies.put(rewrite.kept(), rewritten(rewrite));
        case Change.Rename rename -> bodies.put(rename.entry(), renamed(rename));
        default -> {}
      }
      for (NamedEntry one : after.relinked()) {
        bodies.put(one, EntryBodies.linked(one, after.linksAfter(one)));
      }
    }

    /**
     * Returns the new body. It contains the metadata of all merged entries, because helix's {@code
     * revise} drops the metadata of the old body.
     */
    private String rewritten(Change.Rewrite rewrite) {
      require(
          rewrite.text().length() <= EntryBodies.MAX_TEXT,
          "the proposed text is too long for a call");
      NamedEntry kept = rewrite.kept();
      List<EntryText> all =
          Stream.concat(Stream.of(kept), rewrite.gone().stream()).map(NamedEntry::text).toList();
      List<String> tags = all.stream().flatMap(one -> one.tags().stream()).distinct().toList();
      List<Link> links =
          all.stream()
              .flatMap(one -> after.linksAfter(kept, one.links()).stream())
              .filter(link -> !link.equals(after.place(kept)))
              .distinct()
              .toList();
      Optional<String> source = all.stream().flatMap(one -> one.source().stream()).findFirst();
      return EntryBodies.metadata(kept.text(), tags, source, links) + rewrite.text();
    }

    /**
     * Returns the body with the old name of the file replaced by the new name. The old name stays
     * inside longer names: {@code a.c} stays in {@code a.c:12}.
     */
    private String renamed(Change.Rename rename) {
      EntryText text = rename.entry().text();
      Pattern name =
          Pattern.compile(
              "(?<![\\w/.@~-])" + Pattern.quote(rename.from()) + "(?![\\w/-]|\\.\\w|:\\d)");
      String to = Matcher.quoteReplacement(rename.to());
      String content = name.matcher(text.content()).replaceAll(to);
      Optional<String> source = text.source().map(from -> name.matcher(from).replaceAll(to));
      require(
          !content.equals(text.content()) || !source.equals(text.source()),
          "%s no longer contains %s, except inside longer names"
              .formatted(Act.name(rename.entry()), QuotedName.of(rename.from())));
      return EntryBodies.metadata(text, text.tags(), source, after.linksAfter(rename.entry()))
          + content;
    }

    /**
     * Plans a mark for each entry that the act removes or rewrites. A mark shows whether another
     * program changes the entry's text during the act.
     */
    private void mark() {
      Stream.concat(
              fates.keySet().stream().filter(one -> fates.get(one) != Fate.APPENDED),
              after.relinkedInOrder().filter(one -> after.linksAfter(one).isEmpty()))
          .forEach(one -> marks.put(one, ActMark.hash(one.entry().body())));
      marks.forEach(
          (one, hash) ->
              require(
                  marked.stream()
                      .noneMatch(left -> ActMark.isOn(left.entry().body(), ActMark.line(hash))),
                  ("an act on the text of %s was stopped. Its mark, the line %s, is still at the"
                          + " end of another note with the same text: first remove this line")
                      .formatted(Act.name(one), ActMark.line(hash).strip())));
      require(
          marks.size() <= MAX_MARKED,
          "more than " + MAX_MARKED + " notes would be removed or rewritten at once");
    }

    private List<HelixCall> calls() {
      List<HelixCall> calls = new ArrayList<>();
      if (change instanceof Change.MergeTopics merge) {
        calls.add(
            HelixCall.of("edit", "action", "merge", "topic", merge.small(), "into", merge.large()));
      }
      if (change instanceof Change.Gather gather) {
        String links = EntryBodies.line(gather.entries().stream().map(after::place).toList());
        calls.add(HelixCall.store(gather.topic(), gather.text() + "\n" + links));
      }
      fates.forEach(
          (one, fate) -> {
            switch (fate) {
              case DELETED -> calls.add(edit("delete", one, ""));
              case APPENDED -> calls.add(edit("append", one, addition(one)));
              case REVISED -> calls.add(edit("revise", one, bodies.get(one)));
            }
          });
      after
          .relinkedInOrder()
          .forEach(
              one ->
                  calls.add(
                      after.linksAfter(one).isEmpty()
                          ? edit("revise", one, bodies.get(one))
                          : edit("append", one, addition(one))));
      return calls;
    }

    private String addition(NamedEntry entry) {
      String body = bodies.get(entry);
      return body.substring(body.lastIndexOf('\n') + 1);
    }

    private HelixCall edit(String action, NamedEntry entry, String text) {
      String topic = change instanceof Change.MergeTopics ? after.topicAfter(entry) : entry.topic();
      return HelixCall.edit(
          action,
          topic,
          marks.containsKey(entry) ? ActMark.line(marks.get(entry)) : words(entry),
          text);
    }

    /**
     * Returns words that identify an entry until it gets a mark or new links, because no other body
     * of its topic contains them before, during or after the act. If several entries have the same
     * body, helix edits the first of them. Therefore an act cannot edit entries with equal bodies;
     * it can only delete them, beginning with the first.
     */
    private String words(NamedEntry entry) {
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
                      ("%s has no words of its own: all its words are also in another note of %s,"
                              + " so helix might edit the wrong note. Make the edit by hand:"
                              + " %s")
                          .formatted(
                              Act.name(entry), QuotedName.of(entry.topic()), sought(entry))));
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

    private List<Check> checks() {
      String none = ActMark.line("none"); // matches no entry; helix still counts all entries
      List<Check> checks = new ArrayList<>();
      for (String topic : after.topicsConcerned()) {
        if (topics.containsKey(topic)) {
          HelixCall call =
              HelixCall.of("topics", "action", "entries", "topic", topic, "match_str", none);
          checks.add(new Check(call, topics.get(topic).size()));
        }
      }
      return checks;
    }

    private List<String> losses() {
      List<String> losses = new ArrayList<>();
      fates.keySet().stream()
          .filter(one -> fates.get(one) == Fate.DELETED)
          .forEach(one -> lost(one).ifPresent(losses::add));
      if (!after.relinked().isEmpty()) {
        losses.add(
            ("the position of %s in the topic, because helix moves a note to the end of its"
                    + " topic when the note's links are set")
                .formatted(Act.names(List.copyOf(after.relinked()))));
      }
      return losses;
    }

    /**
     * Returns the tags, the source and the links that are lost with a removed entry, because the
     * entry that replaces it lacks them.
     */
    private Optional<String> lost(NamedEntry gone) {
      EntryText text = gone.text();
      NamedEntry kept = after.standIn();
      EntryText left = EntryText.parse(bodies.getOrDefault(kept, kept.entry().body()));
      List<String> lost = new ArrayList<>();
      List<String> tags = text.tags().stream().filter(tag -> !left.tags().contains(tag)).toList();
      if (!tags.isEmpty()) {
        lost.add("tags " + tags.stream().map(QuotedName::of).collect(Collectors.joining(", ")));
      }
      text.source()
          .filter(source -> !left.source().equals(Optional.of(source)))
          .ifPresent(source -> lost.add("source " + QuotedName.of(source)));
      List<Link> links =
          after.linksAfter(kept, text.links()).stream()
              .filter(link -> !left.links().contains(link) && !link.equals(after.place(kept)))
              .toList();
      if (!links.isEmpty()) {
        lost.add("links " + QuotedName.of(EntryBodies.names(links)));
      }
      return Optional.of("of " + Act.name(gone) + ": " + String.join("; ", lost))
          .filter(_ -> !lost.isEmpty());
    }

    private List<HelixCall> undo() {
      List<HelixCall> undo = new ArrayList<>();
      if (change instanceof Change.Gather gather) {
        undo.add(HelixCall.edit("delete", gather.topic(), gather.text(), ""));
      }
      int length = 0;
      for (Map.Entry<NamedEntry, Fate> fate : fates.entrySet()) {
        NamedEntry one = fate.getKey();
        String body = one.entry().body();
        length += body.length();
        if (fate.getValue() == Fate.DELETED) {
          undo.add(HelixCall.store(one.topic(), body));
        } else if (fate.getValue() == Fate.REVISED) {
          List<String> others =
              topics.get(one.topic()).stream()
                  .filter(other -> other != one && fates.get(other) != Fate.DELETED)
                  .map(other -> bodies.getOrDefault(other, other.entry().body()))
                  .toList();
          Optional<String> words = MatchString.of(bodies.get(one), others);
          if (words.isEmpty()) {
            return List.of();
          }
          undo.add(HelixCall.edit("revise", one.topic(), words.get(), body));
        }
      }
      return length > EntryBodies.MAX_TEXT ? List.of() : undo;
    }
  }

  private static String sought(NamedEntry entry) {
    String text = entry.content().strip();
    String shown = PrintableText.excerpt(text, SOUGHT).replaceAll("[“”\"]", "'");
    return "look for the note that %s “%s” and has %,d characters"
        .formatted(text.length() < SOUGHT ? "says" : "begins", shown, text.length());
  }

  private static void requirePlain(String topic) {
    require(isPlainTopic(topic), "helix would store this topic under a different name");
  }

  private static void requireLinkable(String topic) {
    require(
        !topic.isEmpty() && topic.chars().noneMatch(Character::isWhitespace),
        "helix would split a link at the blank in the topic");
  }
}
