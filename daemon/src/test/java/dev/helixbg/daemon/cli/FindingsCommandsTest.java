package dev.helixbg.daemon.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.log.DataLogBytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingsCommandsTest {
  /** Cache folder with the prepared embedding model, for the tests of all modules. */
  private static final Path CACHE = Path.of("../embed/target/test-cache").toAbsolutePath();

  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private String kb;

  private int run(String... arguments) {
    out.reset();
    err.reset();
    Console console =
        new Console(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add(1, "--set=cache=" + CACHE);
    all.add(1, "--set=state=" + folder.resolve("state"));
    return HelixBg.commandLine(console, NoInterruption.make()).execute(all.toArray(String[]::new));
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(out.toByteArray());
  }

  private List<String> open() throws IOException {
    assertEquals(0, run("findings", kb, "--json", "--all"), err::toString);
    return json().findValuesAsText("id");
  }

  private void reported() throws Exception {
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(2));
    writer.append("cache", "The cache keeps stale leases after a restart of the broker.");
    writer.append("cache", "The cache keeps stale leases after a restart of the broker!");
    writer.append("broker", "After a restart the broker leaves stale leases in the cache.");
    writer.append("broker", "Payments are rounded half up, per line.");
    kb = writer.kb().folder().toString();
    assertEquals(0, run("one-shot", kb), err::toString);
  }

  private Path report() {
    return Path.of(kb, "insights", "report.json");
  }

  @Test
  void questionsAndAnswersMayGoThroughPipes() throws Exception {
    reported();
    assertEquals(0, run("study", kb, "--export", "-"), err::toString);
    String page = out.toString(StandardCharsets.UTF_8);
    assertTrue(page.startsWith("# Questions of helix-bg\n"), page);
    String answers = page.replaceAll("(?m)^## (\\S+)$", "$1: different");
    InputStream in = System.in;
    try {
      System.setIn(new ByteArrayInputStream(answers.getBytes(StandardCharsets.UTF_8)));
      assertEquals(0, run("study", kb, "--import", "-"), err::toString);
    } finally {
      System.setIn(in);
    }
    assertTrue(
        err.toString().matches("(?s)helix-bg: [1-9]\\d* answers kept, 0 refused.*"), err::toString);
  }

  @Test
  void aTextMayBeginWithADash() throws Exception {
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(2));
    writer.append("builds", "Use mvnd for local builds.");
    kb = writer.kb().folder().toString();
    for (String command : List.of("search", "related")) {
      assertEquals(0, run(command, "--kb", kb, "- Use mvnd for builds", "--json"), err::toString);
      assertTrue(out.toString().contains("Use mvnd for local builds."), out::toString);
      assertEquals(0, run(command, "--kb", kb, "-Xmx flags", "- a list"), err::toString);
      assertEquals(0, run(command, "--kb", kb, "--", "--no-verify", "is forbidden"));
      assertEquals(2, run(command, "--kb", kb, "--no-verify", "is forbidden"));
      assertTrue(err.toString().contains("there is no option --no-verify"), err::toString);
    }
  }

  /**
   * Notes are read from a log in the cache. Messages must not name its path, which users do not
   * know.
   */
  @Test
  void withoutAReportNotesAreNotNamedByTheCache() throws IOException {
    String notes = Files.writeString(folder.resolve("notes.md"), "- One.\n- Two.\n").toString();
    assertEquals(3, run("findings", "--notes", notes), err::toString);
    assertEquals(
        "helix-bg: there is no report yet: run helix-bg one-shot with the same folder or option"
            + " (--kb, --notes, --memory)\n",
        err.toString());
  }

  /**
   * A decision computes nothing and leaves the report as it is, but hides the pair in all lists.
   */
  @Test
  void aDecisionIsNotedWithoutARunAndHoldsForThePairInEveryList() throws Exception {
    reported();
    String pair = "cache:0 ~ cache:1";
    List<String> names = new ArrayList<>();
    for (JsonNode f : new ObjectMapper().readTree(report().toFile()).at("/relations")) {
      if (pair.equals(f.at("/a/name").asText() + " ~ " + f.at("/b/name").asText())) {
        names.add(f.path("id").asText());
      }
    }
    assertEquals(1, names.size());
    byte[] before = Files.readAllBytes(report());
    assertEquals(0, run("dismiss", "--kb", kb, "--json", names.getFirst()), err::toString);
    assertEquals(names.getFirst(), json().at("/0/id").asText());
    assertEquals("dismissed", json().at("/0/decision").asText());
    assertArrayEquals(before, Files.readAllBytes(report()));
    assertTrue(open().stream().noneMatch(names::contains));

    assertEquals(0, run("one-shot", kb));
    String now = Files.readString(report());
    assertTrue(names.stream().noneMatch(now::contains), now);
    assertTrue(err.toString().isEmpty() || !err.toString().contains("warning"), err::toString);
  }

  @Test
  void manyAreDecidedOnByTopicAndKind() throws Exception {
    reported();
    List<String> all = open();
    assertEquals(0, run("dismiss", "--kb", kb, "--topic", "broker", "--dry-run"));
    assertTrue(err.toString().contains("decision would be stored"), err::toString);
    assertTrue(out.toString().contains("broker:0"), out::toString);
    assertEquals(all, open());

    assertEquals(0, run("dismiss", "--kb", kb, "--kind", "relation", "--json"), err::toString);
    List<String> relations = all.stream().filter(id -> id.startsWith("rel-")).toList();
    assertEquals(relations, json().findValuesAsText("id"));
    assertTrue(open().stream().noneMatch(id -> id.startsWith("rel-")), out::toString);
    assertEquals(0, run("done", "--kb", kb, "--topic", "cache", "--kind", "relation"));
    assertTrue(err.toString().contains("decision stored for 0 findings"), err::toString);

    for (String[] wrong : List.of(new String[] {"--kind", "relations"}, new String[] {})) {
      List<String> arguments = new ArrayList<>(List.of("dismiss", "--kb", kb));
      arguments.addAll(List.of(wrong));
      assertEquals(ExitCode.USAGE.number(), run(arguments.toArray(String[]::new)));
    }
    assertEquals(ExitCode.USAGE.number(), run("undo", "--kb", kb, "--topic", "cache"));
  }

  @Test
  void findingsAreListedByTopicKindAndVerdict() throws Exception {
    reported();
    List<String> all = open();
    assertEquals(0, run("findings", kb, "--json", "--kind", "relation"), err::toString);
    List<String> relations = json().findValuesAsText("id");
    assertEquals(all.stream().filter(id -> id.startsWith("rel-")).toList(), relations);
    List<String> judged = new ArrayList<>();
    for (String verdict : List.of("same", "overtaken", "related", "different")) {
      assertEquals(0, run("findings", kb, "--json", "--verdict", verdict), err::toString);
      judged.addAll(json().findValuesAsText("id"));
    }
    assertEquals(List.of(), judged, "nobody was asked");
    assertEquals(0, run("findings", kb, "--verdict", "overtaken"), err::toString);
    assertTrue(err.toString().contains("No pair has a verdict"), err::toString);
    assertTrue(err.toString().contains("no open findings match these options"), err::toString);
    assertEquals(0, run("findings", kb, "--json", "--topic", "broker"), err::toString);
    assertTrue(all.containsAll(json().findValuesAsText("id")));
    for (List<String> wrong :
        List.of(
            List.of("--verdict", "wrong"),
            List.of("--topic", "brokr"),
            List.of("--settled", "--kind", "relation"),
            List.of(all.getFirst(), "--kind", "relation"))) {
      List<String> arguments = new ArrayList<>(List.of("findings", kb));
      arguments.addAll(wrong);
      assertEquals(ExitCode.USAGE.number(), run(arguments.toArray(String[]::new)), wrong::toString);
    }
  }

  /**
   * The order is that of the report: leading findings, then kind by kind. Each pair is listed once.
   */
  @Test
  void findingsAreListedAsTheReportLeadsWithThem() throws Exception {
    reported();
    JsonNode report = new ObjectMapper().readTree(report().toFile());
    List<String> leading = new ArrayList<>();
    report.path("leading").forEach(id -> leading.add(id.asText()));
    assertTrue(leading.size() > 1, report.toString());
    List<String> listed = open();
    assertEquals(leading, listed.subList(0, leading.size()));
    assertEquals(listed.size(), Set.copyOf(listed).size());
    assertEquals(0, run("findings", kb, "--all"));
    assertEquals(listed, ids());
    assertEquals(0, run("findings", kb));
    assertEquals(leading, ids());
    assertTrue(
        err.toString().contains("%d of %d; --all".formatted(leading.size(), listed.size())),
        err::toString);
    assertEquals(0, run("findings", kb, "--all", "--limit", "2"));
    assertTrue(err.toString().contains("2 of %d. To show".formatted(listed.size())), err::toString);
    assertEquals(listed.subList(0, 2), ids());
    assertEquals(
        listed.size(), json(listed).stream().map(f -> f.path("about").asText()).distinct().count());
  }

  private String idOf(String about) throws IOException {
    return json(open()).stream()
        .filter(found -> found.path("about").asText().endsWith(about))
        .findFirst()
        .orElseThrow()
        .path("id")
        .asText();
  }

  private List<String> ids() {
    return out.toString()
        .lines()
        .filter(line -> !line.startsWith(" "))
        .map(line -> line.split(" ")[0])
        .toList();
  }

  private List<JsonNode> json(List<String> ids) throws IOException {
    assertEquals(0, run("findings", kb, "--json", "--all"));
    List<JsonNode> all = new ArrayList<>();
    json().path("findings").forEach(all::add);
    assertEquals(ids, all.stream().map(f -> f.path("id").asText()).toList());
    return all;
  }

  @Test
  void oneFindingIsShownWithItsTextsAndWhatSpeaksForIt() throws Exception {
    reported();
    String id = idOf("cache:0 ~ cache:1");
    assertEquals(0, run("findings", kb, id), err::toString);
    String shown = out.toString();
    assertTrue(shown.startsWith(id + " "), shown);
    assertTrue(
        shown.contains("    The cache keeps stale leases after a restart of the broker.\n"), shown);
    assertTrue(
        shown.contains("    The cache keeps stale leases after a restart of the broker!\n"), shown);
    assertTrue(shown.contains("\nread     by the pair judge: "), shown);
    assertTrue(shown.contains("\nwhy      each is the other’s nearest entry; both say "), shown);
    assertTrue(shown.contains("same or overtaken: remove cache:0 and keep cache:1"), shown);
    assertEquals(0, run("findings", "--kb", kb, id, "--json"), err::toString);
    assertEquals(id, json().path("id").asText());
    assertTrue(json().at("/a/text").asText().startsWith("The cache keeps"), out::toString);
    for (String other : open()) {
      assertEquals(0, run("findings", other, kb), err::toString);
      assertTrue(out.toString().lines().count() > 2, out::toString);
    }

    assertEquals(0, run("dismiss", kb, id));
    assertEquals(0, run("findings", kb, id));
    assertTrue(out.toString().contains("\ndecided  dismissed by person, "), out::toString);
    assertEquals(0, run("one-shot", kb));
    assertEquals(0, run("findings", kb, id));
    assertTrue(
        out.toString().matches(id + " +dismissed +person +The cache keeps .*  cache:0 ~ .*\\R"),
        out::toString);
    assertEquals(ExitCode.USAGE.number(), run("findings", kb, id, id));
  }

  /** The report may be old, but its reader acts on the present log. */
  @Test
  void findingsAreNamedAsTheLogIsNow() throws Exception {
    reported();
    String gone = idOf("cache:0 ~ cache:1");
    assertEquals(0, run("findings", kb));
    String before = out.toString();
    assertTrue(
        before.contains(
            " A  The cache keeps stale leases after a restart of the broker.  cache:0\n"),
        before);
    assertTrue(
        before.contains(
            " B  After a restart the broker leaves stale leases in the cache.  broker:0\n"),
        before);
    byte[] delete = new DataLogBytes().delete(8).toByteArray(); // the first entry of all
    Files.write(
        Path.of(kb, "data.log"),
        Arrays.copyOfRange(delete, 8, delete.length),
        StandardOpenOption.APPEND);
    String id = open().getFirst();
    assertEquals(0, run("findings", kb));
    assertTrue(out.toString().contains("restart of the broker!  cache:0\n"), out::toString);
    assertTrue(!out.toString().contains("cache:1"), out::toString);
    assertTrue(err.toString().contains("findings left out: "), err::toString);
    assertEquals(0, run("findings", kb, id));
    assertTrue(out.toString().contains("  cache:0  "), out::toString);
    assertTrue(out.toString().contains("\nhow      helix-bg act " + id), out::toString);
    assertEquals(0, run("findings", kb, gone));
    assertTrue(
        out.toString().contains("\nstale    entries of this finding have changed"), out::toString);
  }

  @Test
  void wrongNamesAreErrorsWithTheNearest() throws Exception {
    reported();
    String id = open().getFirst();
    String slip = id.substring(0, id.length() - 1) + (id.endsWith("0") ? "1" : "0");
    for (String command : List.of("findings", "dismiss", "done", "act")) {
      assertRefused("no finding " + slip + "; did you mean " + id + "?", command, kb, slip);
      assertRefused("there is no finding x-1; ", command, kb, "x-1");
    }
    assertEquals(0, run("dismiss", kb, id));
    assertRefused("no decision on " + slip + "; did you mean " + id + "?", "undo", kb, slip);
    assertRefused("no topic cahce; did you mean cache?", "findings", kb, "--topic", "cahce");
    assertRefused("; did you mean cache?", "dismiss", kb, "--topic", "Cache");
    assertRefused(
        "; the topics (data, not instructions): broker, cache", "done", kb, "--topic", "payments");
    assertRefused("; did you mean broker?", "search", kb, "--topic", "brocker", "what");
    assertEquals(0, run("dismiss", kb, "--topic", "broker"), err::toString);
    assertEquals(0, run("one-shot", kb), err::toString);
    assertEquals(
        0, run("dismiss", kb, "--topic", "broker"), "a topic without findings is no error");
  }

  private void assertRefused(String part, String... arguments) {
    assertEquals(ExitCode.USAGE.number(), run(arguments), () -> out + "" + err);
    assertTrue(err.toString().contains(part), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
    assertEquals("", out.toString());
  }

  @Test
  void theKnowledgeBaseIsNamedInEitherWayAndOnlyOnce() throws Exception {
    reported();
    String id = open().getFirst();
    List<List<String>> commands =
        List.of(
            List.of("one-shot"),
            List.of("verify"),
            List.of(
                "doctor", "--set=embed.precision=int8"), // no trial of the other embedding method
            List.of("findings"),
            List.of("findings", id),
            List.of("findings", "--settled"),
            List.of("act", id),
            List.of("dismiss", "--dry-run", id),
            List.of("done", "--dry-run", "--kind", "relation"),
            List.of("search", "stale", "leases"),
            List.of("findings", "--topic", "cache"));
    for (List<String> command : commands) {
      List<String> byOption = new ArrayList<>(command);
      byOption.addAll(1, List.of("--kb", kb));
      List<String> byFolder = new ArrayList<>(command);
      byFolder.add(1, kb);
      List<String> byBoth = new ArrayList<>(byFolder);
      byBoth.addAll(1, List.of("--kb", kb + "/data.log"));
      for (List<String> way : List.of(byOption, byFolder)) {
        assertEquals(0, run(way.toArray(String[]::new)), () -> way + " " + err);
      }
      byBoth.set(2, folder.toString());
      assertRefused("two knowledge bases are named", byBoth.toArray(String[]::new));
    }
    assertEquals(0, run("findings", "--kb", kb + "/data.log", kb), err::toString);
    assertTrue(err.toString().contains("tidy. Add " + kb) && err.toString().contains(" to these"));
    // A word that may be the searched text does not count as a folder.
    assertEquals(0, run("search", "--kb", kb, "leases/cache", "kb"), err::toString);
    assertRefused("TEXT must have 1 to", "search", kb);
    assertEquals(3, run("daemon", "/nope"));
    assertEquals("helix-bg: no such knowledge base: /nope is not a folder\n", err.toString());
    assertEquals(3, run("daemon", kb, folder.toString()));
  }

  @Test
  void idsComeFromStandardInputAsFindingsListsThem() throws Exception {
    reported();
    assertEquals(0, run("findings", kb, "--all"));
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(out.toByteArray()));
      assertEquals(0, run("dismiss", "--kb", kb, "-"), err::toString);
      assertEquals(List.of(), open());
      assertEquals(0, run("findings", kb, "--settled"));
      System.setIn(new ByteArrayInputStream(("\n " + out + "\n").getBytes(UTF_8)));
      assertEquals(0, run("undo", "--kb", kb, "-"), err::toString);
      assertTrue(open().size() >= 3);
      System.setIn(new ByteArrayInputStream("rel-0000000000 what\n".getBytes(UTF_8)));
      assertEquals(ExitCode.USAGE.number(), run("done", "--kb", kb, "-"));
      assertTrue(err.toString().contains("there is no finding rel-0000000000"), err::toString);
      System.setIn(new EndlessInput());
      assertEquals(ExitCode.USAGE.number(), run("done", "--kb", kb, "-"));
      assertTrue(err.toString().contains("more than 16 MiB"), err::toString);
    } finally {
      System.setIn(before);
    }
  }

  private static final class EndlessInput extends InputStream {
    @Override
    public int read() {
      return 0;
    }
  }

  @Test
  void whatIsDealtWithLeavesTheReportAndComesBack() throws Exception {
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(1));
    writer.append("cache", "The cache keeps stale leases after a restart of the broker.");
    writer.append("cache", "The cache keeps stale leases after a restart of the broker!");
    writer.append("build", "Maven needs a toolchain of version 25.");
    kb = writer.kb().folder().toString();
    assertEquals(ExitCode.KB.number(), run("findings", kb));
    assertTrue(err.toString().contains("no report yet"), err::toString);
    assertEquals(0, run("one-shot", kb), err::toString);
    String id = open().getFirst();

    assertEquals(0, run("dismiss", "--kb", kb, id), err::toString);
    assertTrue(err.toString().contains("decision stored for 1 finding"), err::toString);
    assertTrue(!open().contains(id), "it is open no longer");
    assertEquals(0, run("findings", kb, "--settled", "--json"));
    assertEquals("dismissed", json().get(0).path("decision").asText());
    assertEquals(
        "The cache keeps stale leases after a restart of the broker.  cache:0 ~ cache:1",
        json().get(0).path("about").asText());
    assertEquals("person", json().get(0).path("by").asText());
    assertEquals("", json().get(0).path("reason").asText());

    assertEquals(0, run("done", "--kb", kb, id), err::toString);
    assertTrue(
        err.toString().contains("the log does not show the edits that settle them: " + id),
        err::toString);
    assertEquals(0, run("findings", kb, "--settled"));
    assertTrue(
        out.toString().matches("(?s).*dismissed +person +The cache keeps .*  cache:0 ~ cache:1\\R"),
        out::toString);
    Decision agents =
        new Decision(id, Outcome.DONE, Instant.EPOCH, "a ~ b", Decision.By.AGENT, "one was left");
    try (KbStores stores = new KbStores(DaemonFixture.settings(folder, Map.of()), notice -> {})) {
      stores.of(writer.kb()).decisions().add(List.of(agents));
    }
    assertEquals(0, run("findings", kb, "--settled"));
    assertTrue(out.toString().contains("agent   a ~ b: one was left"), out::toString);
    assertEquals(0, run("findings", kb, "--settled", "--json"));
    assertEquals("agent", json().get(0).path("by").asText());
    assertEquals("one was left", json().get(0).path("reason").asText());
    assertEquals(0, run("undo", "--kb", kb, id), err::toString);
    assertTrue(open().contains(id));
  }

  /** A search embeds the entries that no run has embedded, and stores their vectors. */
  @Test
  void aSearchKeepsTheVectorsThatItHadToMake() throws Exception {
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(2));
    writer.append("cache", "The cache keeps stale leases after a restart of the broker.");
    writer.append("build", "Maven builds the release.");
    String at = writer.kb().folder().toString();
    assertEquals(0, run("search", "--kb", at, "build tool"), err::toString);
    assertTrue(
        out.toString().matches("(?s)0\\.\\d{3}  Maven builds the release\\.  build:0.*"),
        out::toString);
    assertEquals(
        2,
        VectorStore.ofEntries(DaemonFixture.store(folder, writer.kb()).database())
            .read()
            .byKey()
            .size());
    assertEquals(0, run("one-shot", at), err::toString);
    assertEquals(0, run("search", "--kb", at, "Maven builds the release."), err::toString);
    assertEquals("", err.toString());
    String best = out.toString().lines().findFirst().orElseThrow();
    assertTrue(
        best.matches("0\\.\\d{3}  Maven builds the release\\.  build:0  \\(words: \\+0\\.300\\)"),
        best);
    writer.append("build", "Another one.");
    assertEquals(0, run("findings", at), err::toString);
    assertTrue(err.toString().contains("only 2 of 3 entries are indexed"), err::toString);
    assertEquals(0, run("findings", at, "--json"), err::toString);
    assertEquals("{\"indexed\":2,\"total\":3}", json().path("coverage").toString());
  }
}
