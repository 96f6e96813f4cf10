package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the Markdown report with an independent parser, which sees what a viewer would see. */
class MarkdownReportTest {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();
  private static final Set<String> OURS =
      Set.of(
          ("Document Heading Paragraph Text Code FencedCodeBlock BulletList ListItem StrongEmphasis"
                  + " Emphasis ThematicBreak")
              .split(" "));

  @ParameterizedTest
  @MethodSource("dev.helixbg.insight.report.HtmlReportTest#everyFixture")
  void theOnlyStructureIsOurs(Report report) {
    int rules = 0;
    for (Node node : nodes(PARSER.parse(markdown(report)))) {
      String kind = node.getClass().getSimpleName();
      assertTrue(OURS.contains(kind), () -> kind + " " + node);
      rules += kind.equals("ThematicBreak") ? 1 : 0;
      if (node instanceof Text text) {
        // GitHub turns addresses in plain text into links, so hostile addresses must not appear
        // there.
        String literal = text.getLiteral();
        assertFalse(literal.contains("evil") || literal.contains("alert"), literal);
      }
    }
    assertEquals(1, rules);
  }

  /** Returns the reports without verdicts; JudgedReportTest tests the other reports. */
  static Stream<Report> withoutVerdicts() {
    return HtmlReportTest.everyFixture().filter(report -> report.judgements().model().isEmpty());
  }

  @ParameterizedTest
  @MethodSource("withoutVerdicts")
  void everyFindingHasItsHeadingAndBothTexts(Report report) {
    List<Node> nodes = nodes(PARSER.parse(markdown(report)));
    List<String> expected = new ArrayList<>();
    report.findings().copies().forEach(c -> addShown(expected, c.entries().getFirst()));
    leading(report).forEach(r -> addShown(expected, r.a(), r.b()));
    List<String> blocks =
        nodes.stream()
            .filter(
                node -> node instanceof FencedCodeBlock block && !block.getInfo().equals("json"))
            .map(node -> ((FencedCodeBlock) node).getLiteral())
            .toList();
    // The last block shows the chart.
    assertEquals(expected, blocks.subList(0, expected.size()));
    assertTrue(blocks.size() <= expected.size() + 1);
    long findings = leading(report).size() + report.findings().copies().size();
    long headings = nodes.stream().filter(n -> n instanceof Heading h && h.getLevel() == 3).count();
    assertEquals(findings, headings);
  }

  private static List<Finding.Relation> leading(Report report) {
    return JudgedRelations.of(report.findings().relations(), report.judgements()).leading();
  }

  @Test
  void everyInjectionIsShown() {
    int shown = KbFixtures.injections().mapToInt(kb -> leading(kb.report()).size()).sum();
    assertEquals(InjectionCorpus.all().size(), shown);
  }

  /** Otherwise, a reader would take the named copies for all copies. */
  @Test
  void ofManyCopiesItIsSaidHowManyMoreThereAre() {
    KbFixture kb = new KbFixture();
    NamedEntry[] same = new NamedEntry[1_021];
    for (int i = 0; i < same.length; i++) {
      same[i] = kb.entry("topic", 0, "The same.");
    }
    Report report = kb.copies(same).report();
    assertTrue(markdown(report).contains("(`topic:8`) and 1,012 more\n"), markdown(report));
    assertTrue(HtmlReport.render(report).contains("<li>and 1,012 more</li>"));
  }

  @ParameterizedTest
  @MethodSource("dev.helixbg.insight.report.HtmlReportTest#everyFixture")
  void noCharacterActsOrHides(Report report) {
    assertTrue(
        markdown(report)
            .codePoints()
            .allMatch(c -> c == '\n' || c == '\t' || HostileText.isHarmless(c)));
  }

  @Test
  void anyNameInCodeComesBackAsItWas() {
    String pool = "`|\\*_<>&[]() #ab~";
    Random random = new Random(11);
    for (int round = 0; round < 5_000; round++) {
      String name = random(pool, random);
      if (name.isBlank()) {
        continue;
      }
      String source = "x " + MarkdownReport.code(name) + " y";
      Node paragraph = PARSER.parse(source).getFirstChild();
      Node code = paragraph.getFirstChild().getNext();
      assertTrue(code instanceof Code, source);
      assertEquals(name, ((Code) code).getLiteral(), source);
      assertEquals(" y", ((Text) code.getNext()).getLiteral(), source);
    }
  }

  @Test
  void longTextsAreCutAndSaySo() {
    String markdown = markdown(KbFixtures.hostile().report());
    assertTrue(markdown.contains("*… 1,047,679 more characters left out*"));
    assertTrue(markdown.lines().allMatch(line -> line.length() < 2_000));
  }

  private static String random(String pool, Random random) {
    StringBuilder name = new StringBuilder();
    for (int i = 1 + random.nextInt(12); i > 0; i--) {
      name.append(pool.charAt(random.nextInt(pool.length())));
    }
    return name.toString();
  }

  private static void addShown(List<String> out, NamedEntry... entries) {
    for (NamedEntry entry : entries) {
      String head = FoldableText.of(entry.entry().text().content()).head();
      if (!head.isBlank()) {
        out.add(head.endsWith("\n") ? head : head + "\n");
      }
    }
  }

  private static List<Node> nodes(Node root) {
    List<Node> nodes = new ArrayList<>(List.of(root));
    for (int at = 0; at < nodes.size(); at++) {
      int insert = at + 1;
      for (Node child = nodes.get(at).getFirstChild(); child != null; child = child.getNext()) {
        nodes.add(insert++, child);
      }
    }
    return nodes;
  }

  private static String markdown(Report report) {
    return MarkdownReport.render(report);
  }
}
