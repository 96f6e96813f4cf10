package dev.helixbg.daemon;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.StandInHelix;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Program of scripts/check-helix. Carries out ten thousands of acts on a stand-in for helix,
 * compares the stand-in with a real helix, and carries out acts through the real helix. If
 * something is lost, ends with exit code 1 and prints the seed.
 */
final class CheckHelix {
  private CheckHelix() {}

  /**
   * Arguments: work folder, seed, number of acts, number of acts through the real helix, path of
   * the real helix.
   */
  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    int acts = Integer.parseInt(arguments[2]);
    int real = Integer.parseInt(arguments[3]);
    Path helix = Path.of(arguments[4]);
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
}
