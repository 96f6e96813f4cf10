package dev.helixbg.insight.acts;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.acts.ActPlan.Check;
import dev.helixbg.insight.acts.ActPlan.HelixCall;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.EntryText.Link;
import dev.helixbg.insight.log.LogAccount;
import java.util.ArrayList;
import java.util.Comparator;
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
 * Plans acts on one knowledge base, in the state in which it was just read: which calls of helix's
 * tools carry an act out, so that no other entry is hit and every link leads where it led. What is
 * known of those tools, and from where, is in docs/decisions/0072-edits-for-helix.md.
 *
 * <p>Whatever helix edits moves to the end of its topic, and links name places. So a call names an
 * entry by words that no other body of its topic has, never by its place; and entries whose links
 * would lead elsewhere are linked anew, which moves them, too, until nothing changes any more.
 */
public final class ActPlanner {
  /** A topic that helix keeps as it is when it stores under it. */
  private static final Pattern PLAIN_TOPIC = Pattern.compile("[a-z0-9]+(?:(?:-+|/)[a-z0-9]+)*");

  /** What is longer is for no command line. */
  private static final int MAX_TEXT = 8_000;

  /** Of a text that somebody looks for, in columns. */
  private static final int SOUGHT = 200;

  /** An act that must set the links of more entries anew is no small act any more. */
  private static final int MAX_RELINKED = 24;

  /** More notes than go or are rewritten by one act that somebody still overlooks. */
  private static final int MAX_MARKED = 60;

  private final Map<String, List<NamedEntry>> topics = new HashMap<>();
  private final List<NamedEntry> linking;

  /** Those that carry a mark of an act that is under way, or was stopped. */
  private final List<NamedEntry> marked;

  private final Optional<String> unsafe;

  /**
   * @param entries all live ones of the log
   * @param log that they were read from
   */
  public ActPlanner(List<NamedEntry> entries, LogAccount log) {
    for (NamedEntry entry : entries) {
      topics.computeIfAbsent(entry.entry().topic(), topic -> new ArrayList<>()).add(entry);
    }
    linking = entries.stream().filter(one -> !one.entry().text().links().isEmpty()).toList();
    marked = entries.stream().filter(one -> ActMark.isOn(one.entry().body())).toList();
    unsafe =
        log.damage().stream()
            .filter(damage -> damage.kind() != LogAccount.Kind.INVALID_UTF8)
            .findFirst()
            .map(
                damage ->
                    "helix reads data.log only as far as offset "
                        + damage.offset()
                        + ", where a record is damaged: what it writes from now on, it will not"
                        + " find. Let helix-bg verify tell what is there, and repair the log"
                        + " first");
  }

  static boolean isPlainTopic(String topic) {
    return PLAIN_TOPIC.matcher(topic).matches();
  }

  /** How an act on entries of this state is carried out. */
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

  /** No calls can carry the act out without doing something else, too. */
  private static final class NotCallableException extends RuntimeException {
    NotCallableException(String why) {
      super(why, null, false, false);
    }
  }

  /** What becomes of one entry. */
  private enum Fate {
    DELETED,
    APPENDED,
    REVISED,
    STORED
  }

  /** One act while it is planned. */
  private final class Plan {
    private final Change change;

    /** What the act itself does, in the order of its calls. */
    private final Map<NamedEntry, Fate> fates = new LinkedHashMap<>();

    /** Entries whose links are set anew, by offset. */
    private final Set<NamedEntry> relinked = new LinkedHashSet<>();

    /** Where each entry is afterwards; those that are gone are missing. */
    private final Map<NamedEntry, Link> places = new HashMap<>();

    /** How many entries the topics concerned have afterwards. */
    private final Map<String, Integer> sizes = new HashMap<>();

    /** The bodies of entries that get another one. */
    private final Map<NamedEntry, String> bodies = new HashMap<>();

    /** The hash in the mark of each entry whose text goes, in the order of the calls. */
    private final Map<NamedEntry, String> marks = new LinkedHashMap<>();

    Plan(Change change) {
      this.change = change;
    }

    ActPlan plan() {
      switch (change) {
        case Change.Remove remove -> remove.gone().forEach(one -> fates.put(one, Fate.DELETED));
        case Change.Link link -> {
          requireLinkable(link.target().entry().topic());
          fates.put(link.from(), Fate.APPENDED);
        }
        case Change.Move move -> {
          require(isPlainTopic(move.topic()), "helix would write the topic in another way");
          requireKeepable(move.entry());
          fates.put(move.entry(), Fate.STORED);
        }
        case Change.MergeTopics merge ->
            require(isPlainTopic(merge.large()), "helix would write the topic in another way");
        case Change.Rewrite rewrite -> {
          fates.put(rewrite.kept(), Fate.REVISED);
          rewrite.gone().forEach(one -> fates.put(one, Fate.DELETED));
        }
        case Change.Rename rename -> {
          requireKeepable(rename.entry());
          fates.put(rename.entry(), Fate.REVISED);
        }
        case Change.Gather gather ->
            gather.entries().forEach(one -> requireLinkable(one.entry().topic()));
        case Change.Reread _ -> require(false, "only who reads it can tell what it has to say now");
      }
      settle();
      write();
      mark();
      List<HelixCall> marking = new ArrayList<>();
      marks.forEach(
          (one, hash) ->
              marking.add(
                  HelixCall.of(
                      "edit",
                      "action",
                      "append",
                      "topic",
                      one.entry().topic(),
                      "match_str",
                      words(one),
                      "text",
                      ActMark.line(hash))));
      return new ActPlan(
          checks(),
          marking,
          List.copyOf(marks.values()),
          calls(),
          Optional.empty(),
          losses(),
          undo());
    }

    /** Finds the entries whose links have to be set anew, and where all entries end up. */
    private void settle() {
      for (boolean grew = true; grew; ) {
        layOut();
        grew = false;
        for (NamedEntry entry : linking) {
          if (!fates.containsKey(entry)
              && !relinked.contains(entry)
              && !names(linksAfter(entry)).equals(names(entry.entry().text().links()))) {
            relinked.add(entry);
            grew = true;
          }
        }
        require(
            relinked.size() <= MAX_RELINKED,
            "more than "
                + MAX_RELINKED
                + " other notes link into these topics by number, and all would have to be linked"
                + " anew");
      }
    }

    private void layOut() {
      places.clear();
      sizes.clear();
      Map<String, List<NamedEntry>> after = new HashMap<>();
      for (String topic : topicsConcerned()) {
        List<NamedEntry> stay = new ArrayList<>();
        for (NamedEntry one : topics.getOrDefault(topic, List.of())) {
          if (!fates.containsKey(one) && !relinked.contains(one)) {
            stay.add(one);
          }
        }
        after.put(topic, stay);
      }
      if (change instanceof Change.MergeTopics merge) {
        List<NamedEntry> all = topics.getOrDefault(merge.small(), List.of());
        List<NamedEntry> moved = all.stream().filter(one -> !relinked.contains(one)).toList();
        after.get(merge.large()).addAll(moved);
        after.put(merge.small(), new ArrayList<>());
      }
      fates.forEach(
          (one, fate) -> {
            if (fate != Fate.DELETED) {
              after.get(topicAfter(one)).add(one);
            }
          });
      relinkedInOrder().forEach(one -> after.get(topicAfter(one)).add(one));
      after.forEach(
          (topic, entries) -> {
            sizes.put(topic, entries.size());
            for (int i = 0; i < entries.size(); i++) {
              places.put(entries.get(i), new Link(topic, i));
            }
          });
    }

    /** Those in which places may change. */
    private Set<String> topicsConcerned() {
      Set<String> concerned = new LinkedHashSet<>();
      Stream.concat(fates.keySet().stream(), relinked.stream())
          .forEach(
              one -> {
                concerned.add(one.entry().topic());
                concerned.add(topicAfter(one));
              });
      if (change instanceof Change.MergeTopics merge) {
        concerned.add(merge.small());
        concerned.add(merge.large());
      }
      if (change instanceof Change.Gather gather) {
        gather.entries().forEach(one -> concerned.add(one.entry().topic()));
        concerned.add(gather.topic());
      }
      return concerned;
    }

    private String topicAfter(NamedEntry entry) {
      return switch (change) {
        case Change.Move move when move.entry() == entry -> move.topic();
        case Change.MergeTopics merge when merge.small().equals(entry.entry().topic()) ->
            merge.large();
        default -> entry.entry().topic();
      };
    }

    /** What the links of an entry have to be for them to lead where they led. */
    private List<Link> linksAfter(NamedEntry entry) {
      return linksAfter(entry, entry.entry().text().links());
    }

    private List<Link> linksAfter(NamedEntry entry, List<Link> links) {
      List<Link> after = new ArrayList<>();
      boolean changed = false;
      for (Link link : links) {
        Optional<NamedEntry> target = at(link);
        if (target.isEmpty()) { // it leads nowhere, and goes before it leads to a stranger
          boolean taken = link.index() < sizes.getOrDefault(link.topic(), 0);
          changed |= taken;
          if (!taken) {
            after.add(link);
          }
          continue;
        }
        NamedEntry standing = fates.get(target.get()) == Fate.DELETED ? standIn() : target.get();
        Link place = standing == entry && target.get() != entry ? null : place(standing);
        changed |= !link.equals(place);
        if (place != null) {
          after.add(place);
        }
      }
      return changed ? List.copyOf(new LinkedHashSet<>(after)) : links;
    }

    /** Nobody links to what is gone: to what stands for it. */
    private NamedEntry standIn() {
      return switch (change) {
        case Change.Remove remove -> remove.kept();
        case Change.Rewrite rewrite -> rewrite.kept();
        default -> throw new IllegalStateException("nothing is removed by " + change);
      };
    }

    private Link place(NamedEntry entry) {
      Link place = places.get(entry);
      return place == null ? new Link(entry.entry().topic(), entry.index()) : place;
    }

    private Optional<NamedEntry> at(Link link) {
      List<NamedEntry> all = topics.getOrDefault(link.topic(), List.of());
      return link.index() < all.size() ? Optional.of(all.get(link.index())) : Optional.empty();
    }

    /** The bodies that entries have afterwards. */
    private void write() {
      fates.forEach(
          (one, fate) -> {
            switch (fate) {
              case DELETED -> {}
              case APPENDED -> {
                List<Link> links = new ArrayList<>(linksAfter(one));
                links.add(place(((Change.Link) change).target()));
                bodies.put(one, appended(one, links));
              }
              case REVISED ->
                  bodies.put(
                      one,
                      change instanceof Change.Rename rename
                          ? renamed(rename)
                          : rewritten((Change.Rewrite) change));
              case STORED ->
                  bodies.put(
                      one,
                      names(linksAfter(one)).equals(names(one.entry().text().links()))
                          ? one.entry().body()
                          : linked(one, linksAfter(one)));
            }
          });
      for (NamedEntry one : relinked) {
        bodies.put(one, linked(one, linksAfter(one)));
      }
    }

    /** Of two lines the last counts, but an empty one does not: then the old ones have to go. */
    private static String linked(NamedEntry entry, List<Link> links) {
      return links.isEmpty() ? withoutLinks(entry) : appended(entry, links);
    }

    private static String appended(NamedEntry entry, List<Link> links) {
      return entry.entry().body().stripTrailing() + "\n" + line(links);
    }

    private static String line(List<Link> links) {
      return "[links: " + names(links) + "]";
    }

    private static String withoutLinks(NamedEntry entry) {
      requireKeepable(entry);
      EntryText text = entry.entry().text();
      return metadata(text, text.tags(), text.source(), List.of()) + text.content();
    }

    /** What helix's revise would drop: metadata lines as helix writes them, of all entries. */
    private String rewritten(Change.Rewrite rewrite) {
      require(rewrite.text().length() <= MAX_TEXT, "the proposed text is too long for a call");
      List<NamedEntry> all = new ArrayList<>(List.of(rewrite.kept()));
      all.addAll(rewrite.gone());
      Set<String> tags = new LinkedHashSet<>();
      Set<Link> links = new LinkedHashSet<>();
      for (NamedEntry one : all) {
        tags.addAll(one.entry().text().tags());
        linksAfter(rewrite.kept(), one.entry().text().links()).stream()
            .filter(link -> !link.equals(place(rewrite.kept())))
            .forEach(links::add);
      }
      Optional<String> source =
          all.stream().flatMap(one -> one.entry().text().source().stream()).findFirst();
      EntryText kept = rewrite.kept().entry().text();
      return metadata(kept, List.copyOf(tags), source, List.copyOf(links)) + rewrite.text();
    }

    /** What it names stands by itself; a line that follows a path belongs to it. */
    private String renamed(Change.Rename rename) {
      EntryText text = rename.entry().entry().text();
      Pattern name =
          Pattern.compile(
              "(?<![\\w/.@~-])" + Pattern.quote(rename.from()) + "(?![\\w/-]|\\.\\w|:\\d)");
      String to = Matcher.quoteReplacement(rename.to());
      String content = name.matcher(text.content()).replaceAll(to);
      Optional<String> source = text.source().map(from -> name.matcher(from).replaceAll(to));
      require(
          !content.equals(text.content()) || !source.equals(text.source()),
          Act.name(rename.entry())
              + " does not say "
              + QuotedName.of(rename.from())
              + " by itself any more");
      return metadata(text, text.tags(), source, linksAfter(rename.entry())) + content;
    }

    /** Who adds something to a note in the moment in which it goes must not lose it. */
    private void mark() {
      Stream.concat(
              fates.keySet().stream().filter(one -> fates.get(one) != Fate.APPENDED),
              relinkedInOrder().filter(one -> linksAfter(one).isEmpty()))
          .forEach(one -> marks.put(one, ActMark.hash(one.entry().body())));
      marks.forEach(
          (one, hash) ->
              require(
                  marked.stream()
                      .noneMatch(left -> ActMark.isOn(left.entry().body(), ActMark.line(hash))),
                  "an act on the text of "
                      + Act.name(one)
                      + " was stopped, and left its mark, the line "
                      + ActMark.line(hash).strip()
                      + ", on another note that says the same: take it out there first"));
      require(
          marks.size() <= MAX_MARKED,
          "more than " + MAX_MARKED + " notes would go or be rewritten at once");
    }

    private Stream<NamedEntry> relinkedInOrder() {
      return relinked.stream().sorted(Comparator.comparing(one -> one.entry().offset()));
    }

    private List<HelixCall> calls() {
      List<HelixCall> calls = new ArrayList<>();
      if (change instanceof Change.MergeTopics merge) {
        calls.add(
            HelixCall.of("edit", "action", "merge", "topic", merge.small(), "into", merge.large()));
      }
      if (change instanceof Change.Gather gather) {
        calls.add(HelixCall.of("store", "topic", gather.topic(), "text", gathered(gather)));
      }
      fates.forEach(
          (one, fate) -> {
            switch (fate) {
              case DELETED -> calls.add(edit("delete", one, ""));
              case APPENDED -> calls.add(edit("append", one, addition(one)));
              case REVISED -> calls.add(edit("revise", one, bodies.get(one)));
              case STORED -> {
                calls.add(HelixCall.of("store", "topic", topicAfter(one), "text", bodies.get(one)));
                calls.add(edit("delete", one, ""));
              }
            }
          });
      relinkedInOrder()
          .forEach(
              one -> {
                boolean append = !linksAfter(one).isEmpty();
                calls.add(
                    edit(
                        append ? "append" : "revise",
                        one,
                        append ? addition(one) : bodies.get(one)));
              });
      return calls;
    }

    /** The text of a new entry that links to others. */
    private String gathered(Change.Gather gather) {
      return gather.text() + "\n" + line(gather.entries().stream().map(this::place).toList());
    }

    /** The line that an entry gets. */
    private String addition(NamedEntry entry) {
      String body = bodies.get(entry);
      return body.substring(body.lastIndexOf('\n') + 1);
    }

    private HelixCall edit(String action, NamedEntry entry, String text) {
      String topic =
          change instanceof Change.MergeTopics ? topicAfter(entry) : entry.entry().topic();
      return HelixCall.of(
          "edit",
          "action",
          action,
          "topic",
          topic,
          "match_str",
          marks.containsKey(entry) ? ActMark.line(marks.get(entry)) : words(entry),
          "text",
          text);
    }

    /**
     * What names an entry until it is marked, or linked anew. Of entries with the very same body
     * helix takes the first, so all but the last of them can be marked, in their order, and
     * deleted, and nothing else can be done to them.
     */
    private String words(NamedEntry entry) {
      List<NamedEntry> twins = twins(entry);
      if (twins.size() > 1) {
        long gone = twins.stream().filter(one -> fates.get(one) == Fate.DELETED).count();
        boolean first = twins.stream().limit(gone).allMatch(one -> fates.get(one) == Fate.DELETED);
        require(
            first && fates.get(entry) == Fate.DELETED,
            Act.name(entry)
                + " is there "
                + twins.size()
                + " times, word for word: deal with the copies first");
      }
      return MatchString.of(entry.entry().body(), othersThan(entry, twins))
          .orElseThrow(
              () ->
                  new NotCallableException(
                      Act.name(entry)
                          + " has no words of its own: all that it says stands in another note of "
                          + QuotedName.of(entry.entry().topic())
                          + ", which helix could take for it. Do it by hand: "
                          + sought(entry)));
    }

    /** What to look for by hand: another note has its words, too, and more. */
    private static String sought(NamedEntry entry) {
      String text = entry.entry().text().content().strip();
      String shown = PrintableText.excerpt(text, SOUGHT).replaceAll("[“”\"]", "'");
      return "look for the note that %s “%s” and has %,d characters"
          .formatted(text.length() < SOUGHT ? "says" : "begins", shown, text.length());
    }

    /** Those in the topic with the same body. */
    private List<NamedEntry> twins(NamedEntry entry) {
      return topics.get(entry.entry().topic()).stream()
          .filter(one -> one.entry().body().equals(entry.entry().body()))
          .toList();
    }

    /** All other bodies of the topic, those that come about during the act among them. */
    private List<String> othersThan(NamedEntry entry, List<NamedEntry> twins) {
      List<String> others = new ArrayList<>();
      Set<String> concerned = new LinkedHashSet<>(List.of(entry.entry().topic()));
      if (change instanceof Change.MergeTopics) {
        concerned.add(topicAfter(entry));
        concerned.addAll(mergedTopics());
      }
      for (String topic : concerned) {
        for (NamedEntry one : topics.getOrDefault(topic, List.of())) {
          if (!twins.contains(one)) {
            others.add(one.entry().body());
          }
        }
      }
      bodies.forEach(
          (one, body) -> {
            if (one != entry && concerned.contains(topicAfter(one))) {
              others.add(body);
            }
          });
      return others;
    }

    private List<String> mergedTopics() {
      return change instanceof Change.MergeTopics merge
          ? List.of(merge.small(), merge.large())
          : List.of();
    }

    /**
     * That helix has the topics concerned as helix-bg has read them: it could serve another
     * knowledge base, or be kept from the end of the log.
     */
    private List<Check> checks() {
      return topicsConcerned().stream()
          .filter(topics::containsKey)
          .map(
              topic ->
                  new Check(
                      HelixCall.of(
                          "topics",
                          "action",
                          "entries",
                          "topic",
                          topic,
                          "match_str",
                          ActMark.line("none")), // lists none of them, but counts all
                      topics.get(topic).size()))
          .toList();
    }

    private List<String> losses() {
      List<String> losses = new ArrayList<>();
      fates.forEach(
          (one, fate) -> {
            if (fate == Fate.DELETED) {
              lost(one).ifPresent(losses::add);
            }
          });
      if (change instanceof Change.Move) {
        losses.add("when it was written: helix dates what it stores today");
      }
      if (!relinked.isEmpty()) {
        losses.add(
            "the places of "
                + Act.names(List.copyOf(relinked))
                + ": whose links are set anew moves to the end of its topic");
      }
      return losses;
    }

    /** What an entry has beside its text that nothing has afterwards. */
    private Optional<String> lost(NamedEntry gone) {
      EntryText text = gone.entry().text();
      EntryText left = EntryText.parse(bodies.getOrDefault(standIn(), standIn().entry().body()));
      List<String> lost = new ArrayList<>();
      List<String> tags = text.tags().stream().filter(tag -> !left.tags().contains(tag)).toList();
      if (!tags.isEmpty()) {
        lost.add("tags " + tags.stream().map(QuotedName::of).collect(Collectors.joining(", ")));
      }
      text.source()
          .filter(source -> !left.source().equals(Optional.of(source)))
          .ifPresent(source -> lost.add("source " + QuotedName.of(source)));
      List<Link> links =
          linksAfter(standIn(), text.links()).stream()
              .filter(link -> !left.links().contains(link) && !link.equals(place(standIn())))
              .toList();
      if (!links.isEmpty()) {
        lost.add("links " + QuotedName.of(names(links)));
      }
      return lost.isEmpty()
          ? Optional.empty()
          : Optional.of("of " + Act.name(gone) + ": " + String.join("; ", lost));
    }

    /** Removed texts are stored again; a rewritten one gets its own back. */
    private List<HelixCall> undo() {
      List<HelixCall> undo = new ArrayList<>();
      if (change instanceof Change.Gather gather) {
        undo.add(
            HelixCall.of(
                "edit",
                "action",
                "delete",
                "topic",
                gather.topic(),
                "match_str",
                gather.text(),
                "text",
                ""));
      }
      int length = 0;
      for (Map.Entry<NamedEntry, Fate> fate : fates.entrySet()) {
        NamedEntry one = fate.getKey();
        String body = one.entry().body();
        length += body.length();
        if (fate.getValue() == Fate.DELETED) {
          undo.add(HelixCall.of("store", "topic", one.entry().topic(), "text", body));
        } else if (fate.getValue() == Fate.REVISED) {
          Optional<String> words = MatchString.of(bodies.get(one), bodiesAfter(one));
          if (words.isEmpty()) {
            return List.of();
          }
          undo.add(
              HelixCall.of(
                  "edit",
                  "action",
                  "revise",
                  "topic",
                  one.entry().topic(),
                  "match_str",
                  words.get(),
                  "text",
                  body));
        }
      }
      return length > MAX_TEXT ? List.of() : undo;
    }

    /** Of the other entries of its topic. */
    private List<String> bodiesAfter(NamedEntry entry) {
      return topics.get(entry.entry().topic()).stream()
          .filter(one -> one != entry && fates.get(one) != Fate.DELETED)
          .map(one -> bodies.getOrDefault(one, one.entry().body()))
          .toList();
    }
  }

  private static String names(List<Link> links) {
    return String.join(" ", links.stream().map(link -> link.topic() + ":" + link.index()).toList());
  }

  private static String metadata(
      EntryText text, List<String> tags, Optional<String> source, List<Link> links) {
    return (tags.isEmpty() ? "" : "[tags: " + String.join(", ", tags) + "]\n")
        + source.map(from -> "[source: " + from + "]\n").orElse("")
        + (text.confidence().isPresent()
            ? "[confidence: " + text.confidence().getAsDouble() + "]\n"
            : "")
        + (links.isEmpty() ? "" : "[links: " + names(links) + "]\n");
  }

  private static void requireLinkable(String topic) {
    require(
        !topic.isEmpty() && topic.chars().noneMatch(Character::isWhitespace),
        "helix would take a link apart at the blank in the topic");
  }

  /** Its text must arrive as it is. */
  private static void requireKeepable(NamedEntry entry) {
    String body = entry.entry().body();
    require(
        body.length() <= MAX_TEXT && body.indexOf('\uFFFD') < 0 && !body.isBlank(),
        "the text of " + Act.name(entry) + " is too long for a call, empty, or damaged");
  }

  private static void require(boolean condition, String why) {
    if (!condition) {
      throw new NotCallableException(why);
    }
  }
}
