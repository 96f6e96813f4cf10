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
import java.util.Random;

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

  /** Returns the JSON report as a reader has it. */
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

  /** One of everything, small enough to be read as a golden file. */
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
    NamedEntry backup =
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
        .misfiled(backup, 0.3127, "sessions", 0.3991)
        .damage(1_204, 37, LogAccount.Kind.TORN_TAIL, "entry of 61 bytes, the file ends after 37");
  }

  private static final String[] SUBJECTS = {
    "The ingest worker", "The scheduler", "Our retry queue", "The search index", "The mobile client"
  };
  private static final String[] CLAIMS = {
    "holds its lock while it talks to the object store, so a slow upload stalls every other tenant",
    "reads the whole configuration once at start; a changed limit needs a restart",
    "retries five times with jitter, and gives up silently after that",
    "must see events in order, or the running totals drift until the nightly rebuild"
  };
  private static final String[] ENDINGS = {
    "We measured this on the staging cluster with 40 clients.",
    "See the post-mortem of the second outage for the timeline.",
    "The fix is to take the lock per tenant; nobody has had the time yet."
  };
  private static final String[] TOPICS = {
    "architecture",
    "auth",
    "build-and-ci",
    "billing",
    "data-pipeline",
    "deployment",
    "mobile-app",
    "observability",
    "performance",
    "search",
    "sessions",
    "storage"
  };
  private static final String[] TAGS = {"gotcha", "decision", "invariant", "how-to", "data-flow"};

  /** About 150 entries in a dozen topics. */
  static KbFixture realistic() {
    return generated(TOPICS, 150, 8, 24, 5, 3);
  }

  static KbFixture manyTopics() {
    String[] kinds = {"", "-api", "-operations", "-notes", " (legacy platform)"};
    String[] topics = new String[60];
    for (int i = 0; i < topics.length; i++) {
      topics[i] = TOPICS[i % 12] + kinds[i / 12];
    }
    return generated(topics, 700, 20, 50, 24, 12);
  }

  static KbFixture generated(
      String[] topics, int entries, int duplicates, int links, int overlaps, int misfiled) {
    Random random = new Random(42);
    KbFixture kb = new KbFixture();
    List<NamedEntry> all = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      all.add(entry(kb, topics, random, i));
    }
    double similarity = 0.991;
    for (int i = 0; i < duplicates; i++) {
      NamedEntry a = all.get(random.nextInt(entries / 2));
      NamedEntry b = all.get(entries / 2 + random.nextInt(entries / 2));
      kb.pair(a, b, similarity);
      similarity -= 0.068 / duplicates;
    }
    similarity = 0.918;
    for (int i = 0; i < links; ) {
      NamedEntry a = all.get(random.nextInt(entries));
      NamedEntry b = all.get(random.nextInt(entries));
      if (a.entry().offset() < b.entry().offset() && !a.entry().topic().equals(b.entry().topic())) {
        kb.pair(a, b, similarity);
        similarity -= 0.16 / links;
        i++;
      }
    }
    double overlap = 0.83;
    for (int i = 0; i < overlaps; i++) {
      String a = topics[i * 7 % topics.length];
      String b = topics[(i * 7 + 3 + i % 2) % topics.length];
      kb.overlap(a.compareTo(b) < 0 ? a : b, a.compareTo(b) < 0 ? b : a, overlap);
      overlap -= 0.2 / overlaps;
    }
    for (int i = 0; i < misfiled; i++) {
      NamedEntry entry = all.get(i * 11);
      kb.misfiled(entry, 0.31 + i * 0.01, topics[(i * 5 + 1) % topics.length], 0.52 - i * 0.01);
    }
    return kb;
  }

  private static NamedEntry entry(KbFixture kb, String[] topics, Random random, int i) {
    int skewed = Math.min(random.nextInt(topics.length), random.nextInt(topics.length));
    String topic = topics[i < topics.length ? i : skewed];
    StringBuilder text = new StringBuilder();
    int sentences = 1 + random.nextInt(3);
    for (int s = 0; s < sentences; s++) {
      text.append(SUBJECTS[random.nextInt(SUBJECTS.length)]).append(' ');
      text.append(CLAIMS[random.nextInt(CLAIMS.length)]).append(". ");
    }
    text.append(ENDINGS[random.nextInt(ENDINGS.length)]);
    if (i % 9 == 4) {
      text.append("\n\n    probe --verbose --tenant 17 \\\n      | grep ^lease\n");
    }
    if (i % 50 == 7) {
      text.append("\n\n").append(text.toString().repeat(6));
    }
    String tag = TAGS[random.nextInt(TAGS.length)];
    Optional<String> source =
        i % 3 == 0
            ? Optional.of("src/" + topic.replace(' ', '_') + "/worker.rs:" + (40 + i))
            : Optional.empty();
    return kb.entry(
        topic,
        i % 13 == 0 ? 0 : MARCH + 811 * i,
        source,
        i % 4 == 0 ? OptionalDouble.of(0.7) : OptionalDouble.empty(),
        text.toString(),
        i % 2 == 0 ? new String[] {tag} : new String[] {tag, "coupling"});
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

  /** Names, texts, tags, sources and damage that try everything. */
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
      kb.misfiled(all.get(i), 0.2, topics[i / 2 + 1], 0.4);
    }
    return kb.damage(8, 3, LogAccount.Kind.UNKNOWN_TYPE, HOSTILE_LINE);
  }
}
