package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.WrittenReport;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.server.PresentFindings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.StandInHelix;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Carries out acts on a knowledge base to which others write. The report gets old meanwhile; acts
 * are carried out in any order, some of them twice or late. After each act, exactly the notes that
 * it names must be removed or changed, and each link must lead to the same note as before. If
 * others write between the calls of an act, no text may be lost. Links from and to the topics of
 * these writers are then not checked, because helix has no call that could protect them. A
 * violation is an {@link AssertionError} with the seed.
 */
final class ServedActs {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> TOPICS = List.of("auth", "web", "queue/jobs", "ops", "empty");
  private static final List<String> WORDS =
      List.of(
          "lease", "worker", "token", "expires", "after", "thirty", "seconds", "retry", "queue",
          "is", "not", "the", "cookie", "signed", "port", "8080", "8081", "Straße", "über", "—");

  private final Kb kb;
  private final KbStore store;
  private final HelixTools helix;
  private final Random random;
  private final long seed;
  private final Map<String, Integer> counts = new TreeMap<>();
  private List<String> ids = List.of();
  private JsonNode old;
  private byte[] published = {};
  private PresentEntries present;

  /** Topics to which others have written since the current act was planned. */
  private final Set<String> written = new HashSet<>();

  /**
   * @param helix an empty helix, whose log becomes the KB's log
   */
  ServedActs(Kb kb, HelixTools helix, long seed) throws IOException {
    this.kb = kb;
    Settings settings = DaemonFixture.settings(kb.folder().resolve("home"), Map.of());
    this.store = new KbStores(settings, notice -> {}).of(kb);
    this.helix = helix;
    this.seed = seed;
    this.random = new Random(seed);
    Files.createDirectories(kb.folder());
  }

  /**
   * Returns the number of acts with each outcome: carried out, by hand, stale, stopped at a call.
   */
  Map<String, Integer> counts() {
    return counts;
  }

  /** Runs until this number of acts was carried out. */
  void run(int acts) throws IOException {
    while (counts.getOrDefault("carried out", 0) < acts) {
      if (helix.log().length > 10_000) {
        call("topics", "action", "compact");
      }
      for (int i = random.nextInt(9); i > 0 || live().size() < 12 + random.nextInt(25); i--) {
        write(); // also removes notes that no act can name
      }
      publish();
      report();
      for (int i = random.nextInt(8); i >= 0 && !ids.isEmpty(); i--) {
        while (random.nextInt(3) == 0) {
          write(); // the report gets old
        }
        act(ids.get(random.nextInt(ids.size())));
      }
    }
  }

  private void call(String tool, String... namesAndValues) throws IOException {
    call(tool, HelixTools.arguments(namesAndValues));
  }

  private void call(String tool, Map<String, String> arguments) throws IOException {
    helix.call(tool, arguments);
    publish();
  }

  /** Writes the stand-in's log, which is in memory, to the KB. */
  private void publish() throws IOException {
    byte[] log = helix.log();
    if (!Arrays.equals(log, published)) {
      if (!Files.exists(kb.dataLog()) || !Arrays.equals(log, Files.readAllBytes(kb.dataLog()))) {
        Files.write(kb.dataLog(), log);
      }
      published = log;
      present = new PresentEntries(DataLog.read(kb.dataLog()), "m");
    }
  }

  private List<NamedEntry> live() throws IOException {
    publish();
    return present.all();
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

  /** Makes a random change, as another writer. */
  private void write() throws IOException {
    count("written by others");
    List<NamedEntry> all = live();
    String topic = any(TOPICS.subList(0, 4));
    int what = all.isEmpty() ? 0 : all.size() > 40 ? 16 : random.nextInt(20);
    NamedEntry one = all.isEmpty() ? null : any(all);
    try {
      if (what < 9) {
        String links =
            random.nextInt(3) > 0 || all.isEmpty()
                ? ""
                : random
                    .ints(1 + random.nextInt(3), 0, all.size())
                    .mapToObj(i -> all.get(i).name())
                    .collect(Collectors.joining(" "));
        String text = text();
        String tags = random.nextBoolean() ? "" : any(List.of("gotcha", "how-to", "gap, decision"));
        String source = random.nextInt(4) > 0 ? "" : "src/" + any(List.of("A.kt:4", "B.kt:9"));
        edit("store", topic, "text", text, "tags", tags, "source", source, "links", links);
      } else if (what < 13) { // an exact copy, or a text that contains another text
        String body = one.entry().body();
        String copy =
            switch (random.nextInt(4)) {
              case 0 -> body + " " + text();
              case 1 -> text() + "\n" + body;
              case 2 -> body.toUpperCase(Locale.ROOT);
              default -> body;
            };
        edit("store", random.nextInt(3) > 0 ? one.entry().topic() : topic, "text", copy);
      } else if (what < 15) {
        edit("edit", one.entry().topic(), "action", "append", "index", "0", "text", text());
      } else if (what < 18) {
        String index = "" + one.index();
        if (what == 15 && random.nextBoolean()) {
          String tag = "tagged-" + random.nextInt(9);
          edit("edit", one.entry().topic(), "action", "tag", "index", index, "tags", tag);
        } else {
          edit("edit", one.entry().topic(), "action", "delete", "index", index);
        }
      } else {
        call("topics", "action", "compact");
      }
    } catch (HelixTools.Refusal e) {
      throw new AssertionError("the driver asked for what helix refuses, seed " + seed, e);
    }
  }

  private void edit(String tool, String topic, String... namesAndValues) throws IOException {
    written.add(topic);
    call(
        tool,
        Stream.concat(Stream.of("topic", topic), Stream.of(namesAndValues)).toArray(String[]::new));
  }

  /** Stores a report on the present knowledge base, with random findings. */
  private void report() throws IOException {
    List<NamedEntry> all = live();
    ids = new ArrayList<>();
    List<Finding.Relation> relations = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      NamedEntry a = any(all);
      NamedEntry b = any(all);
      if (a.entry().offset() < b.entry().offset() && !a.key().equals(b.key())) {
        relations.add(NearestPair.of(id("rel", i), a, b, .1, .7));
      }
    }
    Map<String, List<NamedEntry>> texts =
        all.stream()
            .collect(
                Collectors.groupingBy(
                    one -> one.entry().text().content().strip(),
                    TreeMap::new,
                    Collectors.toList()));
    List<Finding.Copies> copies = new ArrayList<>();
    for (List<NamedEntry> group : texts.values()) {
      if (group.size() > 1) {
        copies.add(new Finding.Copies(id("copies", copies.size()), group));
      }
    }
    List<Judgements.Merge> merges = new ArrayList<>();
    List<Finding.TopicOverlap> overlaps = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      NamedEntry one = any(all);
      String topic = any(TOPICS);
      if (!topic.equals(one.entry().topic())) {
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
    Findings findings = new Findings(all, List.of(), copies, overlaps, relations);
    WrittenReport.write(store, "m", findings, merges);
  }

  private String id(String kind, int number) {
    String id = kind + "-%010x".formatted(number);
    ids.add(id);
    return id;
  }

  private ObjectNode served(ObjectNode request) throws IOException {
    return new FindingRequests(store, Optional.empty(), new PresentFindings(present)).act(request);
  }

  /** Plans an act, or takes an earlier plan, and carries it out. */
  private void act(String id) throws IOException {
    ObjectNode request = JSON.createObjectNode().put("id", id);
    if (id.startsWith("rel")) {
      request.put("as", any(List.of("same", "overtaken", "related")));
    }
    JsonNode act;
    boolean late = old != null && random.nextInt(8) == 0;
    if (late) {
      act = old; // an agent kept this plan, which was made for an earlier log
    } else {
      try {
        act = served(request);
      } catch (Failure e) {
        count(e.getMessage().startsWith("stale") ? "stale" : "nothing to do");
        return;
      }
    }
    old = act;
    if (act.has("byHand")) {
      count("by hand");
      check(act.path("calls").isEmpty(), act, "calls by hand");
      return;
    }
    if (act.path("calls").toString().contains("\"index\"")) {
      throw failed(act, "a place was named");
    }
    while (random.nextInt(5) == 0) {
      write(); // another writer changes the log between the plan and its first call
      late = true;
    }
    for (JsonNode check : act.path("checks")) {
      JsonNode call = check.path("call");
      Map<String, String> arguments = HelixTools.arguments(call);
      if (!StandInHelix.counts(
          helix, call.path("name").asText(), arguments, check.path("entries").asInt())) {
        count("stopped by a check");
        return;
      }
    }
    carryOut(act, late, random.nextInt(6) == 0);
  }

  /**
   * Makes the calls in their order, until a call fails.
   *
   * @param late whether the log may have changed since the plan
   * @param beside whether others write between the calls
   */
  private void carryOut(JsonNode act, boolean late, boolean beside) throws IOException {
    JsonNode confirmed = null;
    List<NamedEntry> before = List.of();
    Notes notes = new Notes();
    boolean disturbed = false;
    boolean stopped = false;
    written.clear();
    for (JsonNode call : act.path("calls")) {
      JsonNode arguments = call.path("arguments");
      if (confirmed != null && beside && random.nextInt(3) == 0) {
        notes.meanwhile();
        disturbed = true;
      }
      try {
        if (!call.path("name").asText().equals("act")) {
          check(confirmed != null, act, "an edit before helix-bg has looked");
          call(call.path("name").asText(), HelixTools.arguments(call));
        } else if (confirmed == null) {
          confirmed = served(arguments.deepCopy());
          before = live();
          notes.add(before);
        } else {
          served(arguments.deepCopy());
        }
      } catch (Failure | HelixTools.Refusal e) {
        check(confirmed == null || disturbed, act, "refused, and nobody wrote: " + e.getMessage());
        if (confirmed == null) {
          check(late, act, "stale, and nobody wrote: " + e.getMessage());
          count("stopped by the look before the first edit");
          return;
        }
        count(e instanceof Failure ? "stopped at the marks" : "stopped: helix refused");
        stopped = true;
        break;
      }
    }
    count("carried out");
    count("carried out: " + act.path("kind").asText());
    if (late) {
      count("carried out late, or after others wrote");
    }
    ActExpectation expected =
        new ActExpectation(act, confirmed.path("do").asText(), before, live(), written);
    if (!disturbed) {
      holds(act, expected::check);
      return;
    }
    count("carried out while others wrote");
    notes.check(act, expected, stopped);
    if (!stopped) {
      count("carried out while others wrote, to the end");
      holds(act, expected::links);
    }
  }

  /** Texts that must exist while others write between the calls of an act. */
  private final class Notes {
    private final List<String> required = new ArrayList<>();

    private void add(List<NamedEntry> entries) {
      entries.forEach(one -> required.add(content(one)));
    }

    /** Returns the text without the line that a running act appends. */
    private String content(NamedEntry one) {
      return one.entry()
          .text()
          .content()
          .replaceAll("(?m)^\\(helix-bg: [0-9a-f]{12}\\) ?$", "")
          .replaceAll("\n+", "\n")
          .strip();
    }

    private List<String> contents() throws IOException {
      return new ArrayList<>(live().stream().map(this::content).toList());
    }

    /** Lets others write, and from then on requires their versions of the texts. */
    void meanwhile() throws IOException {
      List<String> gone = contents();
      write();
      for (String text : contents()) {
        if (!gone.remove(text)) {
          required.add(text);
        }
      }
      gone.forEach(required::remove);
    }

    /**
     * Checks that only texts that the act removes or rewrites are gone, in the versions that
     * helix-bg has read.
     */
    void check(JsonNode act, ActExpectation expected, boolean stopped) throws IOException {
      List<String> missing = new ArrayList<>(required);
      contents().forEach(missing::remove);
      expected.removed().forEach(one -> missing.remove(content(one)));
      ServedActs.this.check(
          missing.isEmpty(),
          act,
          "lost while others wrote%s: %s".formatted(stopped ? ", stopped" : "", missing));
    }
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  private void check(boolean condition, JsonNode act, String what) {
    if (!condition) {
      throw failed(act, what);
    }
  }

  private void holds(JsonNode act, Runnable expectation) {
    try {
      expectation.run();
    } catch (AssertionError e) {
      throw failed(act, e.getMessage());
    }
  }

  private AssertionError failed(JsonNode act, String what) {
    return new AssertionError(
        "seed %d, act %d: %s%n%s"
            .formatted(seed, counts.getOrDefault("carried out", 0), what, act.toPrettyString()));
  }
}
