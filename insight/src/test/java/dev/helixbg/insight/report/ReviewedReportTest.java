package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.Review.Item;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

/** Reviews in reports: all that was found, when, by whom, and as text only. */
class ReviewedReportTest {
  private static final String HOSTILE =
      "<script>alert(1)</script> {{{style}}} `x` | **b** \u001B[31m \u202Egnp\u202C </p> \uD800"
          + "\n# heading\n";

  /**
   * The small fixture with three reviews: of this log, of another one, and with a known verdict.
   */
  static Report reviewed(String words) {
    Report plain = KbFixtures.small().report();
    List<Item> session = new ArrayList<>();
    session.add(
        new Item(
            "rel-3f9a01c2d4",
            "contradicts",
            named("sessions:1"),
            named("auth:0"),
            0.812,
            "contradicts",
            "A session ends 14 days after the last refresh, not after the login. " + words));
    session.add(
        new Item(
            "", "repeats", named("auth:1"), named("auth:0"), 0.95, "agrees", "A refresh token."));
    for (int i = 0; i < 9; i++) {
      session.add(
          new Item(
              "",
              "connects to",
              named("storage:" + i),
              named("auth:0"),
              0.8 - i / 100.0,
              "",
              "Excerpt " + i));
    }
    return with(
        plain,
        List.of(
            new Review(
                Instant.parse("2026-03-02T08:05:09.123Z"),
                plain.log().sha256(),
                Optional.of("Qwen3 " + words),
                "11 new entries in auth (1), sessions (1), storage (9). Tokens rotate. " + words,
                List.copyOf(session),
                List.of("secret mark"))));
  }

  private static Review.Named named(String name) {
    return new Review.Named("Title of " + name, name);
  }

  /** Of a log that has changed since, and made without a language model. */
  private static Review earlier() {
    return new Review(
        Instant.parse("2026-03-01T23:59:00Z"),
        "cd".repeat(32),
        Optional.empty(),
        "1 pair of topics overlaps under different names, 1 of them newly.",
        List.of(
            new Item(
                "",
                "now overlaps",
                named("auth"),
                named("sessions"),
                0.71,
                "",
                "closest: auth:0 and sessions:1")),
        List.of());
  }

  private static Review judged(Report plain) {
    return new Review(
        Instant.parse("2026-03-01T23:00:00Z"),
        plain.log().sha256(),
        Optional.of("Qwen3"),
        "1 entry may be stale: newer ones are about the same.",
        List.of(
            new Item(
                "",
                "is superseded by",
                named("auth:0"),
                named("auth:1"),
                0.95,
                "superseded",
                "Old.")),
        List.of());
  }

  private static Report with(Report plain, List<Review> reviews) {
    return new Report(
        plain.findings(), plain.log(), plain.run(), plain.judgements(), List.copyOf(reviews));
  }

  private static Document html(Report report) {
    return Jsoup.parse(HtmlReport.render(report));
  }

  private static Element section(Report report) {
    return html(report).selectFirst("details:has(> summary:contains(The last session))");
  }

  @Test
  void htmlShowsTheReviewWithItsTimeAndJudge() {
    Element session = section(reviewed("x"));
    assertEquals(
        "The last session of writing 2026-03-02 08:05 UTC", session.selectFirst("summary").text());
    assertTrue(session.text().contains("11 new entries in auth (1)"), session.text());
    assertTrue(session.text().contains("Judged by Qwen3 x."), session.text());
    assertEquals(11, session.select("li").size());
    assertEquals(
        "contradicts Title of sessions:1 sessions:1 and Title of auth:0 auth:0 rel-3f9a01c2d4",
        session.selectFirst("li").text());
    assertFalse(session.text().contains("The log has changed"));
    assertFalse(session.text().contains("secret mark"), "marks are for the next review");
    Report plain = KbFixtures.small().report();
    Element earlier = section(with(plain, List.of(earlier())));
    assertTrue(earlier.text().contains("entries are named as they were then"));
    assertFalse(earlier.text().contains("Judged by"), "by similarity alone");
    Element judged = section(with(plain, List.of(judged(plain))));
    assertEquals(
        "is superseded by",
        judged.selectFirst(".verdict").text(),
        "the relation says the verdict already");
  }

  @Test
  void withoutReviewsThereIsNoSection() {
    Report plain = KbFixtures.small().report();
    assertFalse(html(plain).text().contains("The last session"));
    assertFalse(MarkdownReport.render(plain).contains("The last session"));
  }

  @Test
  void whatEntriesAndModelsSayIsTextInEveryFormat() throws Exception {
    Report hostile = reviewed(HOSTILE);
    List<Review> renamed = new ArrayList<>();
    for (Review review : hostile.reviews()) {
      renamed.add(
          new Review(
              review.at(),
              HOSTILE,
              Optional.of(HOSTILE),
              HOSTILE,
              List.of(
                  new Item(HOSTILE, HOSTILE, named(HOSTILE), named(HOSTILE), 1, HOSTILE, HOSTILE)),
              List.of(HOSTILE)));
    }
    for (Report report : List.of(hostile, with(hostile, renamed))) {
      Document page = html(report);
      assertEquals(0, page.select("main script, main h1").size());
      assertEquals(1, page.select("script").size(), "ours");
      assertEquals(1, page.select("style").size());
      assertTrue(section(report).text().contains("<script>alert(1)"));
      assertTrue(page.text().contains("{{{style}}}"));
      assertFalse(page.text().contains("\u001B") || page.text().contains("\u202E"));
      String markdown = MarkdownReport.render(report);
      assertFalse(markdown.contains("\u001B") || markdown.contains("\u202E"));
      Document rendered = Jsoup.parse(renderedMarkdown(markdown));
      assertEquals(0, rendered.select("script").size());
      assertEquals(0, rendered.select("h1:contains(heading)").size());
      assertTrue(rendered.select("code").text().contains("<script>alert(1)</script>"));
      String json = new String(JsonReport.render(report), java.nio.charset.StandardCharsets.UTF_8);
      assertFalse(json.contains("\u001B") || json.contains("\u202E"));
      new ObjectMapper().readTree(json);
    }
  }

  private static String renderedMarkdown(String markdown) {
    var extensions = List.of(TablesExtension.create());
    return HtmlRenderer.builder()
        .extensions(extensions)
        .build()
        .render(Parser.builder().extensions(extensions).build().parse(markdown));
  }

  @Test
  void hugeReviewsAreCut() throws Exception {
    Review huge =
        new Review(
            Instant.EPOCH,
            "",
            Optional.of("m".repeat(1 << 20)),
            "s".repeat(1 << 20),
            List.of(
                new Item(
                    "i".repeat(1 << 20),
                    "r".repeat(1 << 20),
                    named("a".repeat(1 << 20)),
                    named(""),
                    Double.POSITIVE_INFINITY,
                    "v".repeat(1 << 20),
                    "t".repeat(1 << 20))),
            List.of());
    Report report = with(KbFixtures.small().report(), List.of(huge));
    assertTrue(HtmlReport.render(report).length() < 100_000);
    assertTrue(MarkdownReport.render(report).length() < 100_000);
    byte[] json = JsonReport.render(report);
    assertTrue(json.length < 300_000);
    assertTrue(new ObjectMapper().readTree(json).at("/reviews/0/items/0/similarity").isNull());
  }

  @Test
  void markdownTellsTheSame() {
    String markdown = MarkdownReport.render(reviewed("x"));
    assertTrue(
        markdown.contains("## The last session of writing (2026-03-02 08:05 UTC)\n"), markdown);
    assertTrue(
        markdown.contains(
            "- `repeats, agrees`: `Title of auth:1` (`auth:1`) and `Title of auth:0` (`auth:0`)\n"),
        markdown);
    assertEquals(
        11, markdown.lines().filter(l -> l.contains(" and `Title of auth:0` (`auth:0`)")).count());
  }

  @Test
  void jsonHasAllOfIt() throws Exception {
    JsonNode reviews = new ObjectMapper().readTree(JsonReport.render(reviewed("x"))).get("reviews");
    assertEquals(1, reviews.size());
    JsonNode session = reviews.get(0);
    assertEquals("2026-03-02T08:05:09.123Z", session.get("at").asText());
    assertEquals("Qwen3 x", session.get("languageModel").asText());
    assertEquals("ab".repeat(32), session.get("logSha256").asText());
    assertEquals(11, session.get("items").size(), "nothing is folded away");
    assertEquals("contradicts", session.at("/items/0/verdict").asText());
    assertEquals("rel-3f9a01c2d4", session.at("/items/0/id").asText());
    assertEquals("auth:1", session.at("/items/1/a/name").asText());
    assertEquals("Title of auth:1", session.at("/items/1/a/title").asText());
    assertTrue(session.at("/items/1/id").isNull());
    assertEquals(0.812, session.at("/items/0/similarity").asDouble());
    assertTrue(session.at("/items/2/verdict").isNull());
    Report alone = with(KbFixtures.small().report(), List.of(earlier()));
    assertTrue(
        new ObjectMapper()
            .readTree(JsonReport.render(alone))
            .at("/reviews/0/languageModel")
            .isNull());
    assertEquals(List.of(), List.copyOf(reviews.findValues("marks")));
  }
}
