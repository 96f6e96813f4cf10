package dev.helixbg.insight.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the HTML report with an independent HTML parser, which sees what a browser would see. */
class HtmlReportTest {
  private static final Set<String> ELEMENTS =
      Set.of(
          ("html head meta title style script mark body a header main section nav footer article"
                  + " div span p h1 h2 h3 h4 code ul li pre bdi strong b details summary table"
                  + " thead tbody tr th td #root")
              .split(" "));
  private static final Set<String> ATTRIBUTES =
      Set.of(
          ("lang charset http-equiv content name class href id aria-label aria-labelledby"
                  + " aria-hidden role tabindex dir scope title viewBox x y x1 y1 x2 y2 dx cx cy r"
                  + " width height stroke-width")
              .split(" "));

  static Stream<Report> everyFixture() {
    return Stream.concat(
        Stream.concat(
                Stream.of(
                    new KbFixture(), KbFixtures.small(), KbFixtures.large(), KbFixtures.hostile()),
                KbFixtures.injections())
            .map(KbFixture::report),
        Stream.of(JudgedReportTest.judged(JudgedReportTest.HOSTILE)));
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void theOnlyElementsAndAttributesAreOurs(Report report) {
    for (Element element : parse(report).getAllElements()) {
      String name = element.normalName();
      assertTrue(ELEMENTS.contains(name), name);
      for (Attribute attribute : element.attributes()) {
        assertTrue(ATTRIBUTES.contains(attribute.getKey()), () -> name + " " + attribute);
        assertFalse(attribute.getValue().contains("evil"), () -> name + " " + attribute);
      }
      for (Node child : element.childNodes()) {
        assertFalse(child instanceof Comment, child::toString);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void theFileIsWellFormed(Report report) {
    Parser parser = Parser.htmlParser().setTrackErrors(10);
    parser.parseInput(html(report), "");
    // A self-closing circle is correct in SVG, but jsoup reports it as an error.
    List<String> errors =
        parser.getErrors().stream()
            .map(Object::toString)
            .filter(error -> !error.contains("Self closing"))
            .toList();
    assertEquals(List.of(), errors);
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void everyLinkStaysInTheFileAndArrives(Report report) {
    Document document = parse(report);
    Set<String> ids = new HashSet<>();
    for (Element element : document.select("[id]")) {
      assertTrue(ids.add(element.id()), element.id());
    }
    for (Element element : document.select("[href]")) {
      assertTrue(element.attr("href").startsWith("#"), element.toString());
    }
    for (Element element : document.select("a[href], [aria-labelledby]")) {
      String targets = element.attr("href").replace("#", "") + element.attr("aria-labelledby");
      for (String target : targets.split(" ")) {
        assertTrue(ids.contains(target), target);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void thePolicyAllowsItsOwnStyleAndScriptOnly(Report report) throws Exception {
    Document document = parse(report);
    String policy =
        document.select("meta[http-equiv=Content-Security-Policy]").getFirst().attr("content");
    assertTrue(policy.startsWith("default-src 'none'; style-src 'sha256-"), policy);
    assertFalse(policy.contains("unsafe"), policy);
    String style = document.select("style").getFirst().data();
    String script = document.select("script").getFirst().data();
    assertTrue(policy.contains("style-src '" + digest(style) + "'"), policy);
    assertTrue(policy.contains("script-src '" + digest(script) + "'"), policy);
    assertEquals(1, document.select("style").size());
    assertEquals(1, document.select("script").size());
    for (String inert : List.of("innerHTML", "eval(", "document.write", "fetch(", "import(")) {
      assertFalse(script.contains(inert), inert);
    }
    String onlyHere = "location.protocol === \"file:\" && !location.host";
    assertTrue(script.contains(onlyHere), "a path of WSL or of HTTP is no folder");
    assertFalse(style.contains("url(") || style.contains("@import"), style);
  }

  private static String digest(String text) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    return "sha256-" + Base64.getEncoder().encodeToString(digest);
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void noCharacterActsOrHides(Report report) {
    assertTrue(
        html(report)
            .codePoints()
            .allMatch(c -> c == '\n' || c == '\t' || HostileText.isHarmless(c)));
  }

  @ParameterizedTest
  @MethodSource("dev.helixbg.insight.report.MarkdownReportTest#withoutVerdicts")
  void textIsReadAsItWasWritten(Report report) {
    List<String> expected = new ArrayList<>();
    report.findings().copies().forEach(copies -> addShown(expected, copies.entries().getFirst()));
    for (Finding.Relation pair :
        JudgedRelations.of(report.findings().relations(), report.judgements()).leading()) {
      addShown(expected, pair.a());
      addShown(expected, pair.b());
    }
    List<String> actual = parse(report).select("pre").stream().map(Element::wholeText).toList();
    assertEquals(expected, actual);
  }

  @Test
  void hostileNamesAreReadAsTheyWereWritten() {
    Report report = KbFixtures.hostile().report();
    Document document = parse(report);
    List<String> names = document.select("table bdi").eachText();
    assertTrue(names.contains("<script>alert('topic')</script>"), names.toString());
    assertTrue(names.contains("\uFFFDgnp.exe␇␛[2J␊# heading␍␊| x |"), names.toString());
    assertTrue(names.contains("(no name)"), names.toString());
  }

  @Test
  void longTextsAreCutAndSaySo() {
    String text = parse(KbFixtures.hostile().report()).select("article").getFirst().text();
    assertTrue(text.contains("… 1,043,679 more characters left out"), text.substring(0, 300));
    assertTrue(html(KbFixtures.hostile().report()).length() < 300_000);
  }

  @Test
  void emptyStatesSayWhatIsMissing() {
    KbFixture kb = new KbFixture();
    kb.entry("alpha", 0, "One.");
    Document one = parse(kb.report());
    assertTrue(one.text().contains("There are no two entries to compare."));
    Document none = parse(new KbFixture().report());
    assertTrue(none.text().contains("no entries yet"));
  }

  private static void addShown(List<String> out, NamedEntry entry) {
    FoldableText text = FoldableText.of(entry.entry().text().content());
    if (!text.head().isBlank()) {
      out.add(text.head());
    }
    if (text.folded()) {
      out.add(text.rest());
    }
  }

  private static Document parse(Report report) {
    return Parser.htmlParser().parseInput(html(report), "");
  }

  private static String html(Report report) {
    return HtmlReport.render(report);
  }
}
