package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.tokenizer.BpeTokenizer;
import dev.helixbg.llm.tokenizer.ChatTemplate;
import dev.helixbg.llm.tokenizer.ChatTemplate.Thought;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Element;

/**
 * Makes KBs with the texts of {@link InjectionCorpus} as topics, as texts of entries, and as the
 * folder's name. Checks the reports, output, logs and prompts that the built program makes of them.
 * Successive seeds go through all texts.
 */
final class TortureInjection extends TortureArea {
  private static final int PER_CASE = 20;

  /** One in this many cases also runs a daemon. */
  private static final int DAEMONS = 4;

  private static final int FIRST_CONTROL_TOKEN = 1317;
  private static final int LONGEST_TOPIC = 60;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Parser MARKDOWN =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();
  private static final Set<String> ACTIVE =
      Set.of(
          "script",
          "img",
          "iframe",
          "object",
          "embed",
          "form",
          "input",
          "button",
          "base",
          "link",
          "math",
          "noscript",
          "textarea",
          "video",
          "audio",
          "foreignobject",
          "animate",
          "set");
  private static final Set<String> LEADING_AWAY =
      Set.of("src", "srcdoc", "style", "action", "formaction", "xlink:href", "background");

  private final List<String> corpus = InjectionCorpus.all();
  private final Path folder;
  private final Path home;
  private final RealDaemon program;
  private final BpeTokenizer tokenizer;

  TortureInjection(Path folder, Path dist) throws IOException {
    this.folder = folder;
    this.home = folder.resolve("home");
    this.program = new RealDaemon(home, dist, List.of()).withoutC2();
    program.settings("threads = 1\n[daemon]\npoll_seconds = 0.5\nquiet_seconds = 0.1\n");
    Path golden = GoldenModel.Q4_0.path();
    try (GgufFile file = GgufFile.read(MappedFile.open(golden))) {
      Vocabulary vocabulary = Vocabulary.from(file.metadata(), Integer.MAX_VALUE);
      this.tokenizer = new BpeTokenizer(vocabulary);
    }
  }

  @Override
  void run(long seed) throws Exception {
    int first = (int) Math.floorMod(seed * PER_CASE, (long) corpus.size());
    List<String> some =
        IntStream.range(first, first + PER_CASE)
            .mapToObj(i -> corpus.get(i % corpus.size()))
            .toList();
    Torture.delete(folder.resolve("kb"));
    Kb kb = new Kb(Files.createDirectories(folder.resolve("kb").resolve(name(some.getFirst()))));
    DataLogBytes log = new DataLogBytes();
    for (String text : some) {
      log.entry(topic(text), "The worker keeps its lease. " + text, 29_000_000);
      log.entry("plain", "The worker keeps its lease! " + text, 29_000_001);
    }
    Files.write(kb.dataLog(), log.toByteArray());
    some.forEach(this::prompts);

    String at = kb.folder().toString();
    print(false, "one-shot", at);
    print(true, "one-shot", at, "--json");
    print(false, "findings", at);
    print(false, "verify", at);
    html(Files.readString(kb.insights().resolve("report.html")));
    markdown(Files.readString(kb.insights().resolve("report.md")));
    String json = Files.readString(kb.insights().resolve("report.json"));
    requireHarmless("report.json", json);
    JSON.readTree(json);
    if (seed % DAEMONS == 0) {
      daemon(kb, some);
    }
    counts.merge("texts", (long) PER_CASE, Long::sum);
  }

  /** Makes a folder's name of a text. */
  private static String name(String text) {
    StringBuilder name = new StringBuilder("kb ");
    text.chars()
        .limit(40)
        .filter(c -> c != '/' && c > 0 && c < 0x80)
        .forEach(c -> name.append((char) c));
    return name.toString();
  }

  private static String topic(String text) {
    return text.substring(0, Math.min(LONGEST_TOPIC, text.length()));
  }

  private void print(boolean json, String... arguments) throws Exception {
    Path out = home.resolve("out");
    Files.deleteIfExists(out);
    program.run(arguments);
    String printed = // if stderr is a file, the launcher leaves the JVM's warning in it
        Files.readString(out)
            .replace("WARNING: Using incubator modules: jdk.incubator.vector\n", "");
    requireHarmless(arguments[0], printed);
    if (json) {
      JSON.readTree(printed);
    }
  }

  /** Requires that no character controls a terminal, is invisible, or changes the text's order. */
  private static void requireHarmless(String what, String text) {
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      int type = Character.getType(c);
      boolean acts =
          (type == Character.CONTROL && c != '\n' && c != '\t')
              || type == Character.FORMAT
              || type == Character.LINE_SEPARATOR
              || type == Character.PARAGRAPH_SEPARATOR
              || type == Character.SURROGATE;
      if (acts) {
        String beside = text.substring(Math.max(0, at - 60), Math.min(text.length(), at + 20));
        require(false, "%s has U+%04X in it: %s", what, c, JSON.valueToTree(beside));
      }
      at += Character.charCount(c);
    }
  }

  private static void html(String html) {
    requireHarmless("report.html", html);
    Element body = Jsoup.parse(html).body();
    Element script = body.lastElementChild();
    boolean ours = script.normalName().equals("script") && !script.data().contains("alert");
    require(ours, "report.html ends in %s", script);
    script.remove();
    for (Element element : body.ownerDocument().getAllElements()) {
      require(!ACTIVE.contains(element.normalName()), "report.html has %s", element);
      for (Attribute attribute : element.attributes()) {
        String name = attribute.getKey().toLowerCase(java.util.Locale.ROOT);
        boolean away = name.equals("href") && !attribute.getValue().startsWith("#");
        require(
            !name.startsWith("on") && !LEADING_AWAY.contains(name) && !away,
            "report.html has %s in %s",
            attribute,
            element.normalName());
      }
      element
          .childNodes()
          .forEach(child -> require(!(child instanceof Comment), "report.html: %s", child));
    }
    require(Jsoup.parse(html).select("style").size() == 1, "report.html has another style");
  }

  private static void markdown(String markdown) {
    requireHarmless("report.md", markdown);
    visit(MARKDOWN.parse(markdown));
  }

  private static void visit(Node node) {
    String kind = node.getClass().getSimpleName();
    require(
        !Set.of("HtmlBlock", "HtmlInline", "Link", "Image", "LinkReferenceDefinition", "BlockQuote")
            .contains(kind),
        "report.md has a %s: %s",
        kind,
        node);
    for (Node child = node.getFirstChild(); child != null; child = child.getNext()) {
      visit(child);
    }
  }

  /** Requires that only the prompt's frame has control tokens, not the text in it. */
  private void prompts(String text) {
    int[] harmless = control(new ChatTemplate(tokenizer, Thought.OPTIONAL).prompt("x", "x", false));
    require(
        Arrays.equals(
            harmless,
            control(new ChatTemplate(tokenizer, Thought.OPTIONAL).prompt(text, text, false))),
        "a prompt has control tokens out of %s",
        JSON.valueToTree(text));
  }

  private static int[] control(int[] ids) {
    return IntStream.of(ids)
        .filter(id -> id >= FIRST_CONTROL_TOKEN && id <= GoldenModel.END + 16)
        .toArray();
  }

  private void daemon(Kb kb, List<String> some) throws Exception {
    program.start(kb.folder());
    try {
      program.awaitUpToDate(2 * PER_CASE, Duration.ofMinutes(5));
      try (ControlClient client = program.connect().orElseThrow()) {
        for (String text : some) {
          ObjectNode search = DaemonLink.request("search").put("text", text + " lease");
          JsonNode hits = JSON.valueToTree(client.ask(search));
          require(
              hits.size() == 11 && hits.get(10).has("coverage"), "%d lines of hits", hits.size());
        }
      }
      String at = kb.folder().toString();
      print(false, "search", "lease", "--kb", at);
      print(false, "search", "lease", "--kb", at, "--json");
      print(false, "status");
    } finally {
      program.end();
    }
    Path log = home.resolve(".helix/logs/helix-bg.log");
    String lines = Files.readString(log);
    requireHarmless("the daemon's log", lines);
    for (String line : lines.lines().toList()) {
      require(
          line.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} .*")
              && !line.startsWith("2026-01-01"),
          "a line in the daemon's log: %s",
          line);
    }
    Files.delete(log);
    count("daemons");
  }

  @Override
  public void close() throws Exception {
    program.close();
  }
}
