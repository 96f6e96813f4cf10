package dev.helixbg.insight.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The knowledge bases that the tests of the reports share. */
public final class KbFixtures {
  static final SourceCheckResult NO_SOURCES = new SourceCheckResult(List.of(), List.of());

  private static final int MARCH = 29_540_000;

  private KbFixtures() {}

  /** Returns the JSON report. */
  public static byte[] json(Report report) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      JsonReport.write(report, out);
    } catch (IOException e) {
      throw new AssertionError("a byte array takes everything", e);
    }
    return out.toByteArray();
  }

  /** Returns the parsed JSON report. */
  static JsonNode tree(Report report) throws IOException {
    return new ObjectMapper().readTree(json(report));
  }

  /** Returns a whole report on a knowledge base of helix, without moved sources and secrets. */
  public static Report report(
      Findings findings, LogAccount log, Report.Run run, Judgements judgements) {
    return new Report(
        findings, log, run, judgements, Optional.empty(), NO_SOURCES, List.of(), Optional.empty());
  }

  static Report with(Report plain, Judgements judgements) {
    return report(plain.findings(), plain.log(), plain.run(), judgements);
  }

  static Report with(Report plain, List<Finding.Relation> relations) {
    return report(plain.findings().with(relations), plain.log(), plain.run(), plain.judgements());
  }

  /** Returns a report with sentences and verdicts of a model, a moved source and a secret. */
  static Report everything() {
    Report judged = JudgedReportTest.judged("x");
    return with(
        judged, MovedSourcesReportTest.one(judged), SecretReportTest.one(judged), Optional.empty());
  }

  static Report with(Report plain, Report.NotesFolder notes) {
    return with(plain, NO_SOURCES, List.of(), Optional.of(notes));
  }

  static Report with(
      Report plain,
      SourceCheckResult sources,
      List<Finding.Secret> secrets,
      Optional<Report.NotesFolder> notes) {
    return new Report(
        plain.findings(),
        plain.log(),
        plain.run(),
        plain.judgements(),
        plain.firstLook(),
        sources,
        secrets,
        notes);
  }

  /** Returns a small KB with one finding of each kind; its reports are the golden files. */
  static KbFixture small() {
    KbFixture kb = new KbFixture();
    NamedEntry rotate =
        kb.entry(
            "auth",
            MARCH,
            Optional.of("src/auth/refresh.rs:118"),
            OptionalDouble.of(0.9),
            "Refresh tokens rotate on every use. A client that retries a refresh after a timeout"
                + " presents a token that was just replaced, and is logged out.\n\n"
                + "Keep the previous token valid for 30 seconds.",
            "gotcha",
            "invariant");
    NamedEntry again =
        kb.entry(
            "auth",
            MARCH + 4_000,
            "A refresh token is replaced whenever it is used. When a client repeats the refresh"
                + " after a timeout, the old token is refused and the user has to log in again;"
                + " so the previous one stays valid for 30 s.",
            "gotcha");
    NamedEntry cookies =
        kb.entry(
            "sessions",
            MARCH + 4_100,
            "Session cookies are SameSite=Lax. The login through a partner site needs None, and"
                + " Safari drops those without Secure.",
            "decision");
    NamedEntry expiry =
        kb.entry(
            "sessions", 0, "A session ends 14 days after the last refresh, not after the login.");
    kb.entry(
        "storage",
        MARCH + 9_000,
        Optional.of("ops/backup.sh:12"),
        OptionalDouble.empty(),
        "Backups run at 03:10 UTC:\n\n```sh\nrestic backup --tag nightly /srv/data\n```\n"
            + "They need the vault unsealed.",
        "how-to");
    kb.entry("storage", MARCH + 9_500, "WAL files are shipped every 60 s | or at 16 MB.");
    return kb.copies(cookies, expiry)
        .relation(
            rotate,
            again,
            0.8942469134,
            new Finding.Evidence(
                1, 1, List.of("timeout", "Refresh"), Optional.of(Finding.Side.B), Optional.empty()))
        .relation(again, expiry, 0.0512, NearestPair.nearness(3, 0))
        .pair(rotate, expiry, 0.8123456)
        .pair(again, cookies, 0.7612)
        .overlap("auth", "sessions", 0.7113)
        .damage(1_204, 37, LogAccount.Kind.TORN_TAIL, "entry of 61 bytes, the file ends after 37");
  }

  /** Returns a KB with more findings of each kind than a report lists in full. */
  static KbFixture large() {
    KbFixture kb = new KbFixture();
    List<NamedEntry> all = entries(kb, 600, 60);
    for (int i = 0; i < 70; i++) {
      kb.pair(all.get(i), all.get(i + 100), 0.99 - i * 0.003);
    }
    for (int i = 0; i < 24; i++) {
      kb.overlap("topic-" + i, "topic-" + (i + 1), 0.83 - i * 0.008);
    }
    return kb;
  }

  /**
   * Adds entries. Each text has a unique word. Unique numbers would make the texts a series, and a
   * series does not lead a report.
   */
  static List<NamedEntry> entries(KbFixture kb, int count, int topics) {
    List<NamedEntry> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String word = "w" + (char) ('a' + i / 26) + (char) ('a' + i % 26);
      String text = "Entry " + word + ". " + "It says a bit more. ".repeat(15);
      all.add(kb.entry("topic-" + i % topics, MARCH + 811 * i, text));
    }
    return all;
  }

  static final String HOSTILE_LINE =
      "<script>alert(1)</script></textarea><img src=x onerror=alert(1)>--><svg onload=alert(1)>"
          + "{{{style}}}{{>entry}}</pre></style><style>*{display:none}</style>"
          + "<a href=\"https://evil.example\">x</a> https://evil.example www.evil.example"
          + " a@evil.example <https://evil.example> ![i](https://evil.example/i.png)"
          + " [l](javascript:alert(1)) `code` ``` **bold** | cell | &amp; &#60;b&#62;"
          + " \u001B[31mred\u001B[0m \u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007"
          + "\u001B]52;c;ZXZpbA==\u0007 \u009B31m \u202Egnp.exe\u202C \u2066x\u2069 \u200E\u200F"
          + "\u061C zero\u200Bwidth \u2028 \u2029 \uD800 \uDC00 \u0000 \uDB40\uDC41\uDB40\uDC7F"
          + " \uFEFF \uFFFF é 漢字 \uD83D\uDE00";

  static final String HOSTILE_BLOCK =
      "# heading\nsetext\n======\nsetext\n---\n* list\n1. list\n> quote\n\n    code\n"
          + "```\nfence\n```\n~~~~\nfence\n````````\n| a | b |\n|---|---|\n| 1 | 2 |\n"
          + "<div onclick=\"x()\">\n<!-- \n<![CDATA[\n\r# after CR\r\n[ref]: https://evil.example\n"
          + HOSTILE_LINE;

  /** Returns a KB with markup and control characters in names, texts, tags and sources. */
  static KbFixture hostile() {
    KbFixture kb = new KbFixture();
    String[] topics = {
      "<script>alert('topic')</script>",
      "a|b\\|c ``` `x` \\",
      "\u202Egnp.exe\u0007\u001B[2J\n# heading\r\n| x |",
      "`".repeat(20) + "x".repeat(235),
      "\" onload=\"alert(1)\" x='",
      "漢字".repeat(40),
      " ",
      "[link](https://evil.example)",
      "www.evil.example {{{style}}}",
    };
    List<NamedEntry> all = new ArrayList<>();
    for (String topic : topics) {
      all.add(
          kb.entry(
              topic,
              Integer.MIN_VALUE,
              Optional.of(HOSTILE_LINE),
              OptionalDouble.of(1),
              HOSTILE_BLOCK,
              HOSTILE_LINE,
              "|",
              "`"));
      all.add(kb.entry(topic, Integer.MAX_VALUE, HOSTILE_LINE, "tag"));
    }
    NamedEntry longLine = kb.entry("long", MARCH, "<b>" + "x".repeat(1 << 20));
    NamedEntry manyLines = kb.entry("long", MARCH, "> line\n".repeat(5_000));
    NamedEntry blank = kb.entry("long", MARCH, "\n\n");
    kb.pair(longLine, manyLines, 0.99).pair(manyLines, blank, 0.98);
    for (int i = 0; i + 3 < all.size(); i += 2) {
      kb.pair(all.get(i), all.get(i + 1), 0.97 - i * 0.001);
      kb.pair(all.get(i), all.get(i + 3), 0.9 - i * 0.001);
      kb.overlap(topics[i / 2], topics[i / 2 + 1], 0.8 - i * 0.01);
    }
    return kb.damage(8, 3, LogAccount.Kind.UNKNOWN_TYPE, HOSTILE_LINE);
  }

  /**
   * Returns KBs with the texts of {@link InjectionCorpus} as topics and in pairs. No KB has more
   * pairs than lead a report, so each text is shown.
   */
  static Stream<KbFixture> injections() {
    List<String> all = InjectionCorpus.all();
    return IntStream.iterate(0, from -> from < all.size(), from -> from + 10)
        .mapToObj(from -> injected(all.subList(from, Math.min(all.size(), from + 10))));
  }

  private static KbFixture injected(List<String> texts) {
    KbFixture kb = new KbFixture();
    for (String text : texts) {
      String topic = text.substring(0, Math.min(60, text.length()));
      NamedEntry one = kb.entry(topic, MARCH, "The worker keeps its lease. " + text);
      kb.pair(one, kb.entry(topic, MARCH + 1, "The worker keeps its lease! " + text), 0.9);
    }
    return kb;
  }
}
