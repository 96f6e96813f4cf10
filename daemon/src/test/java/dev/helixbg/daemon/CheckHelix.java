package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.StandInHelix;
import dev.helixbg.insight.findings.FindingsBench;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Program of scripts/check-helix. Carries out ten thousands of acts on a stand-in for helix,
 * compares the stand-in with a real helix, and carries out acts through the real helix. Then a
 * client follows the MCP prompt 'tidy' exactly, while a daemon and another writer run. If something
 * is lost, ends with exit code 1 and prints the seed.
 */
final class CheckHelix {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int FINDINGS = 20;

  private CheckHelix() {}

  /**
   * Arguments: folder of the build, work folder, seed, number of acts, number of acts through the
   * real helix, path of the real helix.
   */
  public static void main(String[] arguments) throws Exception {
    Path dist = Path.of(arguments[0]);
    Path work = Path.of(arguments[1]);
    long seed = Long.parseLong(arguments[2]);
    int acts = Integer.parseInt(arguments[3]);
    int real = Integer.parseInt(arguments[4]);
    Path helix = Path.of(arguments[5]);
    try {
      if (acts > 0) {
        long start = System.nanoTime();
        ServedActs served = new ServedActs(kb(work, "stand-in"), new StandInHelix(), seed);
        served.run(acts);
        say("stand-in, seed " + seed, start, served.counts());
      }
      compare(helix, work.resolve("compared"), new Random(seed));
      if (real > 0) {
        long start = System.nanoTime();
        Kb kb = kb(work, "real");
        try (RealHelix server = new RealHelix(helix, kb.folder())) {
          ServedActs served = new ServedActs(kb, server, seed + 1);
          served.run(real);
          say("real helix, seed " + (seed + 1), start, served.counts());
        }
      }
      tidy(dist, helix, work, seed + 2);
    } catch (AssertionError e) {
      System.err.println("check-helix: " + e.getMessage());
      System.exit(1);
    }
    System.out.println("check-helix: all passed");
    System.exit(0);
  }

  private static Kb kb(Path work, String name) throws IOException {
    return new Kb(Files.createDirectories(work.resolve(name)));
  }

  private static void say(String what, long start, Map<String, Integer> counts) {
    System.out.printf("%s, %,d s: %s%n", what, (System.nanoTime() - start) / 1_000_000_000, counts);
  }

  /**
   * Makes the same calls on both; expects equal answers to checks, and equal notes in equal order.
   */
  private static void compare(Path binary, Path folder, Random random) throws IOException {
    StandInHelix standIn = new StandInHelix();
    List<String> words =
        List.of("lease", "Worker", "ÜBER", "straße", "retry 8080", "[tags: x]", "\n", "# 12", "É");
    int calls = 2_000;
    try (RealHelix real = new RealHelix(binary, folder)) {
      for (int i = 0; i < calls; i++) {
        StringBuilder text = new StringBuilder();
        for (int n = 1 + random.nextInt(5); n > 0; n--) {
          text.append(words.get(random.nextInt(words.size()))).append(random.nextInt(40));
        }
        String topic = List.of("auth", "web/a", "ops").get(random.nextInt(3));
        String word = words.get(random.nextInt(words.size())) + random.nextInt(40);
        Map<String, String> arguments = new HashMap<>(Map.of("topic", topic));
        String tool = "edit";
        switch (random.nextInt(13)) {
          case 0, 1, 2, 3 -> {
            tool = "store";
            arguments.put("text", text.toString());
            if (random.nextBoolean()) {
              arguments.put("links", "auth:" + random.nextInt(4));
            }
          }
          case 4 -> arguments.putAll(Map.of("action", "delete", "match_str", word));
          case 5 -> arguments.putAll(Map.of("action", "delete", "index", "" + random.nextInt(9)));
          case 6, 7 ->
              arguments.putAll(
                  Map.of("action", "append", "match_str", word, "text", text.toString()));
          case 8 ->
              arguments.putAll(
                  Map.of("action", "revise", "match_str", word, "text", text.toString()));
          case 9 -> {
            if (random.nextInt(20) == 0) {
              arguments.putAll(Map.of("action", "merge", "into", "ops"));
            } else {
              tool = "topics";
              arguments.put("action", "entries");
            }
          }
          case 10 ->
              arguments.putAll(
                  Map.of("action", "tag", "match_str", word, "tags", "t" + random.nextInt(9)));
          default -> {
            tool = "topics";
            arguments.putAll(Map.of("action", "entries", "match_str", word));
          }
        }
        if (topic.equals("ops") && "merge".equals(arguments.get("action"))) {
          continue;
        }
        String one = answer(standIn, tool, arguments);
        String other = answer(real, tool, arguments);
        if (!one.equals(other)) {
          throw new AssertionError(
              "call %d, %s %s: the stand-in says %s, helix %s"
                  .formatted(i, tool, arguments, one, other));
        }
      }
      Path log = Files.write(folder.resolveSibling("stand-in.log"), standIn.log());
      List<String> mine = told(DataLog.read(log));
      List<String> its = told(DataLog.read(folder.resolve("data.log")));
      if (!mine.equals(its)) {
        throw new AssertionError("the stand-in's notes are not helix's after " + calls + " calls");
      }
      System.out.printf("stand-in and helix: %,d calls alike, %,d notes%n", calls, its.size());
    }
  }

  /**
   * Returns the parts of an answer that must be equal: whether it refuses, positions and counts.
   */
  private static String answer(HelixTools helix, String tool, Map<String, String> arguments) {
    try {
      String text = helix.call(tool, arguments);
      return tool.equals("topics")
          ? text.lines()
              .map(line -> line.replaceFirst("^( +\\[\\d+\\]).*", "$1"))
              .filter(line -> line.matches(" +\\[\\d+\\]|.*\\d+ entries.*"))
              .toList()
              .toString()
          : "done";
    } catch (HelixTools.Refusal e) {
      return "refused";
    }
  }

  private static List<String> told(LogReading log) {
    return log.entries().stream()
        .map(one -> one.topic() + "\n" + one.body().replaceAll("\\[modified: [^]]*\\]", "[m]"))
        .toList();
  }

  /**
   * Works on twenty findings of the evaluation KB, with a daemon, two helix servers and a writer.
   */
  private static void tidy(Path dist, Path binary, Path work, long seed) throws Exception {
    Kb kb = kb(work, "tidied");
    Path root = dist.resolve("../../..").normalize();
    Files.write(kb.dataLog(), FindingsBench.log());
    Path home = work.resolve("home");
    try (RealDaemon daemon = new RealDaemon(home, dist, List.of());
        RealHelix helix = new RealHelix(binary, kb.folder());
        RealHelix otherHelix = new RealHelix(binary, kb.folder())) {
      Set<String> live = contents(kb);
      int first = live.size();
      for (String copy : List.copyOf(live).subList(0, 3)) { // exact copies, one of them three times
        store(helix, "copied", copy);
        store(helix, "copied", copy);
      }
      daemon.start(kb.folder());
      daemon.awaitUpToDate(DataLog.read(kb.dataLog()).entries().size(), Duration.ofMinutes(5));
      AtomicBoolean over = new AtomicBoolean();
      Set<String> written = ConcurrentHashMap.newKeySet();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    Random random = new Random(seed);
                    for (int i = 0; !over.get(); i++) {
                      String text = "Written meanwhile, number " + i + ": " + random.nextLong();
                      store(otherHelix, random.nextBoolean() ? "meanwhile" : "auth", text);
                      written.add(text);
                      try {
                        Thread.sleep(200 + random.nextInt(800));
                      } catch (InterruptedException e) {
                        return;
                      }
                    }
                  });
      Map<String, Integer> counts;
      Set<String> gone = new HashSet<>();
      try (McpSyncClient client = client(root, home, kb)) {
        client.initialize();
        counts = follow(client, helix, kb, new Random(seed), gone);
      } finally {
        over.set(true);
        writer.join();
      }
      Set<String> left = contents(kb);
      for (Set<String> all : List.of(live, written)) {
        for (String text : all) {
          if (!left.contains(text) && !gone.contains(text)) {
            throw new AssertionError("lost: " + text);
          }
        }
      }
      counts.put("notes before", first);
      counts.put("written by another", written.size());
      counts.put("notes removed", gone.size());
      System.out.printf("tidy beside a daemon and a writer, seed %d: %s%n", seed, counts);
    }
  }

  private static void store(HelixTools helix, String topic, String text) {
    helix.call("store", Map.of("topic", topic, "text", text, "force", "true"));
  }

  private static Set<String> contents(Kb kb) throws InterruptedException {
    Set<String> contents = new LinkedHashSet<>();
    for (Entry entry : DataLog.readQuiet(kb.dataLog()).entries()) {
      contents.add(entry.text().content().strip());
    }
    return contents;
  }

  private static McpSyncClient client(Path root, Path home, Kb kb) {
    return TestAgent.of(root.resolve("scripts/helix-bg").toString(), home, kb.folder())
        .requestTimeout(Duration.ofSeconds(120))
        .initializationTimeout(Duration.ofSeconds(60))
        .build();
  }

  private static JsonNode ask(McpSyncClient client, String tool, Map<String, Object> arguments)
      throws IOException {
    CallToolResult result = TestAgent.call(client, tool, arguments);
    String text = TestAgent.text(result);
    return result.isError() ? JSON.createObjectNode().put("error", text) : JSON.readTree(text);
  }

  /**
   * Follows the steps of the prompt, for a user who agrees to everything and gives pairs random
   * verdicts.
   *
   * @param gone receives the texts of removed notes
   */
  private static Map<String, Integer> follow(
      McpSyncClient client, HelixTools helix, Kb kb, Random random, Set<String> gone)
      throws Exception {
    Map<String, Integer> counts = new TreeMap<>();
    Set<String> left = new HashSet<>();
    int taken = 0;
    for (int page = 1; taken < FINDINGS; ) {
      JsonNode list = ask(client, "findings", Map.of("page", page));
      Optional<JsonNode> next = Optional.empty();
      for (JsonNode one : list.path("findings")) {
        if (!left.contains(one.path("id").asText())) {
          next = Optional.of(one);
          break;
        }
      }
      if (next.isEmpty()) {
        if (page++ > list.path("pages").asInt()) {
          break;
        }
        continue;
      }
      String id = next.get().path("id").asText();
      taken++;
      counts.merge("findings", 1, Integer::sum);
      if (!ask(client, "findings", Map.of("id", id)).has("finding")) {
        counts.merge("gone when asked", 1, Integer::sum);
        left.add(id);
        continue;
      }
      String outcome = carryOut(client, helix, kb, id, random, gone);
      counts.merge(outcome, 1, Integer::sum);
      if (outcome.equals("carried out")) {
        JsonNode noted = ask(client, "decide", Map.of("id", id, "decision", "done"));
        if (!noted.has("noted")) {
          throw new AssertionError("done was refused: " + noted);
        }
      } else {
        left.add(id);
      }
    }
    return counts;
  }

  private static String carryOut(
      McpSyncClient client, HelixTools helix, Kb kb, String id, Random random, Set<String> gone)
      throws Exception {
    List<String> ways = new ArrayList<>(List.of("same", "overtaken", "related"));
    for (int attempt = 0; attempt < 4; attempt++) {
      JsonNode answer = ask(client, "act", Map.of("id", id));
      if (answer.at("/act/choose").isArray()) {
        String as = ways.get(random.nextInt(ways.size()));
        answer = ask(client, "act", Map.of("id", id, "as", as));
      }
      JsonNode act = answer.path("act");
      if (answer.has("error") || act.has("byHand")) {
        return answer.has("error") ? "nothing to do" : "by hand";
      }
      if (!act.path("checks")
          .valueStream()
          .allMatch(
              check ->
                  StandInHelix.counts(
                      helix,
                      check.at("/call/name").asText(),
                      HelixTools.arguments(check.path("call")),
                      check.path("entries").asInt()))) {
        continue; // another writer has changed the log: ask again
      }
      Map<String, Long> before = count(kb);
      boolean stopped = false;
      for (JsonNode call : act.path("calls")) {
        if (call.path("name").asText().equals("act")) {
          JsonNode look = ask(client, "act", Map.copyOf(HelixTools.arguments(call)));
          if (!look.at("/act/holds").asBoolean()) {
            stopped = true;
            break;
          }
        } else {
          helix.call(call.path("name").asText(), HelixTools.arguments(call));
        }
      }
      if (stopped) {
        continue; // another writer has changed the log: ask again
      }
      Map<String, Long> after = count(kb);
      int removed = 0;
      for (Map.Entry<String, Long> text : before.entrySet()) {
        long less = text.getValue() - after.getOrDefault(text.getKey(), 0L);
        if (less > 0) {
          removed += (int) less;
          gone.add(text.getKey());
        }
      }
      String words = act.path("do").asText();
      int meant = words.startsWith("remove ") ? words.split(" and keep ")[0].split(", ").length : 0;
      if (removed != meant && !words.startsWith("give ")) {
        throw new AssertionError("%d notes gone by: %s".formatted(removed, act));
      }
      return "carried out";
    }
    return "written over again and again";
  }

  private static Map<String, Long> count(Kb kb) throws InterruptedException {
    Map<String, Long> counts = new HashMap<>();
    for (Entry entry : DataLog.read(kb.dataLog()).entries()) {
      counts.merge(EntryText.parse(entry.body()).content().strip(), 1L, Long::sum);
    }
    return counts;
  }
}
