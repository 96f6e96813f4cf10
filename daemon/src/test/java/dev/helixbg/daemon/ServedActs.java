package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.InsightSettings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.Seal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.kb.WrittenReport;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.server.PresentFindings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.StandInHelix;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Carries served acts out on a knowledge base that lives: reports age while others write, acts are
 * taken in any order, some twice, some late. After each act exactly the notes that it names are
 * gone or changed, and, where the log was as the act says, every link leads where it led; else
 * there is an {@link AssertionError} that tells the seed.
 */
final class ServedActs {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final InsightSettings LIMITS =
      new InsightSettings(0.6, 0.92, 20, 0.75, 50, 0.05, 20);
  private static final List<String> TOPICS = List.of("auth", "web", "queue/jobs", "ops", "empty");
  private static final List<String> WORDS =
      List.of(
          "lease", "worker", "token", "expires", "after", "thirty", "seconds", "retry", "queue",
          "is", "not", "the", "cookie", "signed", "port", "8080", "8081", "Straße", "über", "—");

  private final Kb kb;
  private final SealedReports reports;
  private final HelixTools helix;
  private final Random random;
  private final long seed;
  private final Map<String, Integer> counts = new TreeMap<>();
  private List<String> ids = List.of();
  private Served old;

  /** An act, and what its names stood for when it was served. */
  private record Served(JsonNode act, Map<String, String> keys) {}

  /**
   * @param helix an empty one, whose log the KB's is
   */
  ServedActs(Kb kb, HelixTools helix, long seed) throws IOException {
    this.kb = kb;
    this.reports = new SealedReports(new Seal(kb.folder().resolve("cache")));
    this.helix = helix;
    this.seed = seed;
    this.random = new Random(seed);
    Files.createDirectories(kb.insights());
  }

  /** How often what happened: acts carried out, by hand, stale, checks that did not hold. */
  Map<String, Integer> counts() {
    return counts;
  }

  /** Goes on until so many acts were carried out. */
  void run(int acts) throws IOException {
    int written = 0;
    while (counts.getOrDefault("carried out", 0) < acts) {
      if (helix.log().length > 30_000) {
        call("topics", "action", "compact");
      }
      while (live().size() < 12 + random.nextInt(25)) {
        write();
        written++;
      }
      publish();
      report();
      for (int i = random.nextInt(8); i >= 0 && !ids.isEmpty(); i--) {
        while (random.nextInt(3) == 0) {
          write(); // beside a report that ages
        }
        act(ids.get(random.nextInt(ids.size())));
      }
    }
    counts.put("written by others", written);
  }

  private String call(String tool, String... namesAndValues) throws IOException {
    Map<String, String> arguments = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].isEmpty()) {
        arguments.put(namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    String answer = helix.call(tool, arguments);
    publish();
    return answer;
  }

  /** The stand-in keeps its log in memory. */
  private void publish() throws IOException {
    byte[] log = helix.log();
    if (!Files.exists(kb.dataLog()) || Files.size(kb.dataLog()) != log.length) {
      Files.write(kb.dataLog(), log);
    }
  }

  private List<NamedEntry> live() throws IOException {
    publish();
    return entries().all();
  }

  private PresentEntries entries() {
    return new PresentEntries(DataLog.read(kb.dataLog()), "m");
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int n = 1 + random.nextInt(14); n > 0; n--) {
      text.append(any(WORDS)).append(random.nextInt(9) == 0 ? ".\n" : " ");
    }
    return text.append(random.nextInt(4) == 0 ? "" : " #" + random.nextInt(10_000))
        .toString()
        .strip();
  }

  /** Something that somebody else does. */
  private void write() throws IOException {
    List<NamedEntry> all = live();
    String topic = any(TOPICS.subList(0, 4));
    int what = all.isEmpty() ? 0 : all.size() > 40 ? 15 : random.nextInt(20);
    try {
      if (what < 9) {
        String links =
            random.nextInt(3) > 0 || all.isEmpty()
                ? ""
                : random
                    .ints(1 + random.nextInt(3), 0, all.size())
                    .mapToObj(i -> all.get(i).name())
                    .collect(Collectors.joining(" "));
        call(
            "store",
            "topic",
            topic,
            "text",
            text(),
            "tags",
            random.nextBoolean() ? "" : any(List.of("gotcha", "how-to", "gap, decision")),
            "source",
            random.nextInt(4) > 0 ? "" : "src/" + any(List.of("A.kt:4", "B.kt:9")),
            "links",
            links);
      } else if (what < 13) { // an exact copy, or a text that contains another one
        NamedEntry one = any(all);
        String body = one.entry().body();
        String copy =
            switch (random.nextInt(4)) {
              case 0 -> body + " " + text();
              case 1 -> text() + "\n" + body;
              case 2 -> body.toUpperCase(Locale.ROOT);
              default -> body;
            };
        call("store", "topic", random.nextInt(3) > 0 ? one.entry().topic() : topic, "text", copy);
      } else if (what < 15) {
        call(
            "edit",
            "action",
            "append",
            "topic",
            any(all).entry().topic(),
            "index",
            "0",
            "text",
            text());
      } else if (what < 18) {
        NamedEntry one = any(all);
        call("edit", "action", "delete", "topic", one.entry().topic(), "index", "" + one.index());
      } else {
        call("topics", "action", "compact");
      }
    } catch (HelixTools.Refusal e) {
      throw new AssertionError("the driver asked for what helix refuses, seed " + seed, e);
    }
  }

  /** A report on the knowledge base as it is now, of findings made by chance. */
  private void report() throws IOException {
    List<NamedEntry> all = live();
    ids = new ArrayList<>();
    List<Finding.Relation> relations = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      NamedEntry a = any(all);
      NamedEntry b = any(all);
      if (a.entry().offset() < b.entry().offset() && !a.key().equals(b.key())) {
        relations.add(
            new Finding.Relation(
                id("rel", i),
                a,
                b,
                .1,
                .7,
                new Finding.Evidence(1, 1, List.of(), Optional.empty(), Optional.empty())));
      }
    }
    Map<String, List<NamedEntry>> texts = new TreeMap<>();
    all.forEach(
        one ->
            texts
                .computeIfAbsent(one.entry().text().content().strip(), t -> new ArrayList<>())
                .add(one));
    List<Finding.Copies> copies = new ArrayList<>();
    for (List<NamedEntry> group : texts.values()) {
      if (group.size() > 1) {
        copies.add(new Finding.Copies(id("copies", copies.size()), group));
      }
    }
    List<Finding.Misfiled> misfiled = new ArrayList<>();
    List<Judgements.Merge> merges = new ArrayList<>();
    List<Finding.TopicOverlap> overlaps = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      NamedEntry one = any(all);
      String topic = any(TOPICS);
      if (!topic.equals(one.entry().topic())) {
        misfiled.add(new Finding.Misfiled(id("misfiled", i), one, .1, topic, .2));
        overlaps.add(
            new Finding.TopicOverlap(
                id("topic", i), one.entry().topic(), topic, .9, random.nextInt(9), 4));
      }
      List<NamedEntry> shuffled = new ArrayList<>(all);
      Collections.shuffle(shuffled, random);
      List<NamedEntry> members = shuffled.subList(0, 2 + random.nextInt(2));
      String proposed =
          switch (random.nextInt(3)) {
            case 0 -> text();
            case 1 -> members.getFirst().entry().text().content() + " " + text();
            default -> members.getFirst().entry().text().content();
          };
      if (!proposed.isBlank()) {
        merges.add(new Judgements.Merge(id("merge", i), members, proposed));
      }
    }
    Findings findings =
        new Findings(
            all,
            List.of(),
            copies,
            overlaps,
            List.of(),
            List.of(),
            misfiled,
            relations,
            new Findings.Distribution(0, false, new long[60], 0, 0, 0, 0, 0, 0),
            LIMITS,
            new Findings.Totals(0, 0, 0, 0));
    Judgements none = Judgements.NONE;
    Judgements judged =
        new Judgements(
            none.model(),
            none.guesses(),
            none.verdicts(),
            none.overlaps(),
            none.summaries(),
            merges,
            none.left(),
            0,
            none.trust());
    Report report =
        new Report(
            findings,
            DataLog.read(kb.dataLog()).account(),
            new Report.Run("test", "m"),
            judged,
            List.of());
    WrittenReport.write(kb, reports, new String(JsonReport.render(report), UTF_8));
  }

  private String id(String kind, int number) {
    String id = kind + "-%010x".formatted(number);
    ids.add(id);
    return id;
  }

  private void act(String id) throws IOException {
    ObjectNode request = JSON.createObjectNode().put("id", id);
    if (id.startsWith("rel")) {
      request.put("as", any(List.of("same", "overtaken", "related")));
    }
    List<JsonNode> answer = new ArrayList<>();
    Served served;
    if (old != null && random.nextInt(8) == 0) {
      served = old; // somebody kept it since another state of the log
    } else {
      PresentEntries present = entries();
      try {
        FindingRequests.act(kb, reports, new PresentFindings(present), request, answer::add);
      } catch (Failure e) {
        count(e.getMessage().startsWith("stale") ? "stale" : "nothing to do");
        return;
      }
      Map<String, String> keys = new HashMap<>();
      present.all().forEach(one -> keys.put(one.name(), one.key()));
      served = new Served(answer.getFirst(), keys);
    }
    old = served;
    JsonNode act = served.act();
    if (act.has("byHand")) {
      count("by hand");
      check(act.path("calls").isEmpty(), act, "calls by hand");
      return;
    }
    if (act.path("calls").toString().contains("\"index\"")) {
      throw failed(act, "a place was named");
    }
    if (random.nextInt(6) == 0) {
      write(); // between the answer and the first call
    }
    List<NamedEntry> before = live();
    boolean sameState = entries().log().sha256().equals(act.at("/log/sha256").asText());
    for (JsonNode check : act.path("checks")) {
      if (!holds(check)) {
        count("checks that did not hold");
        return;
      }
    }
    try {
      for (JsonNode call : act.path("calls")) {
        call(call.path("name").asText(), flat(call.path("arguments")));
      }
    } catch (HelixTools.Refusal e) {
      throw failed(act, "helix refused: " + e.getMessage());
    }
    count("carried out");
    if (!sameState && !areAllThere(served, before)) { // and was the last of its topic before, too
      count("carried out on a note that somebody had added to");
      return;
    }
    if (!sameState) {
      count("carried out in another state than served");
    }
    count("carried out: " + act.path("kind").asText());
    new Expectation(served, before, live()).check(sameState);
  }

  /** Whether the notes that an act names have the texts that they had when it was served. */
  private static boolean areAllThere(Served served, List<NamedEntry> before) {
    Set<String> keys = before.stream().map(NamedEntry::key).collect(Collectors.toSet());
    String words = served.act().path("do").asText();
    return served.keys().entrySet().stream()
        .filter(named -> List.of(words.split("[ ,]+")).contains(named.getKey()))
        .allMatch(named -> keys.contains(named.getValue()));
  }

  private static String[] flat(JsonNode arguments) {
    List<String> flat = new ArrayList<>();
    arguments
        .properties()
        .forEach(argument -> flat.addAll(List.of(argument.getKey(), argument.getValue().asText())));
    return flat.toArray(String[]::new);
  }

  private boolean holds(JsonNode check) {
    Map<String, String> arguments = new HashMap<>();
    check
        .at("/call/arguments")
        .properties()
        .forEach(argument -> arguments.put(argument.getKey(), argument.getValue().asText()));
    List<Integer> at = new ArrayList<>();
    check.path("at").forEach(place -> at.add(place.asInt()));
    return StandInHelix.answers(
        helix,
        check.at("/call/name").asText(),
        arguments,
        check.path("listed").asInt(),
        at,
        check.has("entries") ? Optional.of(check.path("entries").asInt()) : Optional.empty());
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  private void check(boolean condition, JsonNode act, String what) {
    if (!condition) {
      throw failed(act, what);
    }
  }

  private AssertionError failed(JsonNode act, String what) {
    return new AssertionError(
        "seed %d, act %d: %s%n%s"
            .formatted(seed, counts.getOrDefault("carried out", 0), what, act.toPrettyString()));
  }

  /** What an act's words promise, told from the notes before and after it. */
  private final class Expectation {
    private final JsonNode act;
    private final Map<String, String> keys;
    private final List<NamedEntry> before;
    private final List<NamedEntry> after;
    private final Map<String, NamedEntry> named = new HashMap<>();

    /** By its name before: what has become of a note, as topic and text; gone ones are missing. */
    private final Map<String, String> became = new TreeMap<>();

    /** What stands for a note that is gone. */
    private final Map<String, String> standsFor = new HashMap<>();

    private String rewritten;
    private String newLinkFrom;
    private String newLinkTo;

    Expectation(Served served, List<NamedEntry> before, List<NamedEntry> after) {
      this.act = served.act();
      this.keys = served.keys();
      this.before = before;
      this.after = after;
      for (NamedEntry one : before) {
        named.put(one.name(), one);
        became.put(one.name(), told(one));
      }
    }

    private String told(NamedEntry one) {
      return one.entry().topic() + "\n" + one.entry().text().content().strip();
    }

    /**
     * @param links whether the log was as the act says; else only notes must be right, since what
     *     others wrote meanwhile may count on other places
     */
    void check(boolean links) {
      String words = act.path("do").asText();
      if (words.startsWith("remove ")) {
        remove(words.substring(7).split(" and keep ")[0], words.split(" and keep ")[1]);
      } else if (words.startsWith("link ")) {
        newLinkFrom = now(words.substring(5).split(" to ")[0], false);
        newLinkTo = now(words.split(" to ")[1], false);
      } else if (words.startsWith("move all of ")) {
        String[] topics = words.substring(12).split(" into ");
        for (NamedEntry one : before) {
          if (one.entry().topic().equals(topics[0])) {
            became.put(one.name(), topics[1] + "\n" + one.entry().text().content().strip());
          }
        }
      } else if (words.startsWith("move ")) {
        String[] parts = words.substring(5).split(" to ");
        String moved = now(parts[0], false);
        became.put(moved, parts[1] + "\n" + named.get(moved).entry().text().content().strip());
      } else {
        String[] parts = words.substring(5).split(" the proposed text and remove ");
        rewritten = remove(parts[1], parts[0]);
        String text = act.at("/calls/0/arguments/text").asText();
        became.put(
            rewritten,
            named.get(rewritten).entry().topic() + "\n" + EntryText.parse(text).content().strip());
      }
      List<String> missing = new ArrayList<>(became.values());
      List<String> strange = new ArrayList<>();
      for (NamedEntry one : after) {
        if (!missing.remove(told(one))) {
          strange.add(told(one));
        }
      }
      ServedActs.this.check(
          missing.isEmpty() && strange.isEmpty(), act, "lost: " + missing + ", new: " + strange);
      if (links) {
        links();
      }
    }

    /** The name of what is kept. */
    private String remove(String gone, String kept) {
      String left = now(kept, true);
      for (String then : gone.split(", ")) {
        String name = now(then, false);
        became.remove(name);
        standsFor.put(name, left);
      }
      return left;
    }

    /**
     * What is called now what was called so when the act was served: others may have written, and
     * the checks have held.
     *
     * @param last of copies the last one, else the first that is left
     */
    private String now(String then, boolean last) {
      List<String> found =
          before.stream()
              .filter(one -> one.key().equals(keys.get(then)))
              .map(NamedEntry::name)
              .filter(name -> became.containsKey(name) && !standsFor.containsValue(name))
              .toList();
      ServedActs.this.check(!found.isEmpty(), act, then + " was not there, but all checks held");
      if (found.contains(then)) {
        return then;
      }
      return last ? found.getLast() : found.getFirst();
    }

    /** For each note that is left: what its links lead to, by what is told there. */
    private void links() {
      Map<String, List<List<String>>> expected = new TreeMap<>();
      for (NamedEntry one : before) {
        if (became.containsKey(one.name())) {
          List<EntryText.Link> links = new ArrayList<>(one.entry().text().links());
          if (one.name().equals(rewritten)) {
            standsFor.forEach((gone, kept) -> links.addAll(named.get(gone).entry().text().links()));
          }
          expected
              .computeIfAbsent(became.get(one.name()), told -> new ArrayList<>())
              .add(leads(one, links));
        }
      }
      Map<String, List<List<String>>> found = new TreeMap<>();
      Map<String, NamedEntry> now = new HashMap<>();
      after.forEach(one -> now.put(one.name(), one));
      for (NamedEntry one : after) {
        found
            .computeIfAbsent(told(one), told -> new ArrayList<>())
            .add(
                one.entry().text().links().stream()
                    .map(link -> now.get(link.topic() + ":" + link.index()))
                    .filter(target -> target != null)
                    .map(this::told)
                    .distinct()
                    .sorted()
                    .toList());
      }
      for (Map<String, List<List<String>>> all : List.of(expected, found)) {
        all.values().forEach(lists -> lists.sort((a, b) -> a.toString().compareTo(b.toString())));
      }
      for (String note : expected.keySet()) {
        ServedActs.this.check(
            expected.get(note).equals(found.get(note)),
            act,
            "links of <%s> should lead to %s, but lead to %s"
                .formatted(note, expected.get(note), found.get(note)));
      }
    }

    private List<String> leads(NamedEntry from, List<EntryText.Link> links) {
      List<String> leads = new ArrayList<>();
      for (EntryText.Link link : links) {
        String target = link.topic() + ":" + link.index();
        String standing = standsFor.getOrDefault(target, target);
        boolean toItself = standing.equals(from.name()) && !target.equals(from.name());
        boolean merged = from.name().equals(rewritten) && target.equals(from.name());
        if (named.containsKey(target) && !toItself && !merged) {
          leads.add(became.get(standing));
        }
      }
      if (from.name().equals(newLinkFrom)) {
        leads.add(became.get(newLinkTo));
      }
      return leads.stream().distinct().sorted().toList();
    }
  }
}
