package dev.helixbg.insight.findings;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.findings.Finding.Junk;
import dev.helixbg.insight.findings.Finding.JunkReason;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.SecretMask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds entries that should not be kept as they are: such that say nothing by themselves, hold a
 * secret, or tell agents what to do. By forms alone, and rather too few of them: what only may be
 * junk is not told of.
 */
public final class JunkCheck {
  /** A longer one says something. */
  private static final int SHORT = 400;

  /** Entries that differ in numbers only and tell of a start: fewer may be a record of it. */
  private static final int FEWEST_ALIKE = 4;

  private static final Pattern PATH =
      Pattern.compile(
          "(?:~|\\.{1,2}|[A-Za-z]:)?(?:[/\\\\][\\w.@+-]+)+[/\\\\]?|(?:[\\w.@+-]+/){2,}\\S*");

  private static final Pattern NOT_A_WORD = Pattern.compile("[^\\p{L}]+");

  /** As they are once all but letters is taken off. */
  private static final Set<String> SAYING_NOTHING =
      Set.of(
          "test",
          "tests",
          "testing",
          "test test",
          "test test test",
          "testing testing",
          "this is a test",
          "this is just a test",
          "just a test",
          "just testing",
          "test message",
          "test entry",
          "test note",
          "test memory",
          "a test",
          "ignore this",
          "please ignore",
          "test please ignore",
          "hello world",
          "hello",
          "hi",
          "hey",
          "hi there",
          "hello there",
          "hey there",
          "good morning",
          "good evening",
          "thanks",
          "thank you",
          "ok",
          "okay",
          "bye",
          "goodbye",
          "foo",
          "foo bar",
          "foo bar baz",
          "asdf",
          "asdf asdf",
          "qwerty",
          "lorem ipsum",
          "todo",
          "tbd",
          "xxx",
          "ping",
          "dummy",
          "placeholder",
          "blah",
          "blah blah",
          "n a",
          "hallo",
          "hallo welt",
          "nothing",
          "empty",
          "untitled");

  private static final Pattern NUMBER = Pattern.compile("[0-9a-f-]*\\d[0-9a-f:.,TZ-]*");

  private static final Pattern START =
      Pattern.compile(
          "\\b(?:session|agent|assistant|daemon|server|system|memory|mcp|bot)\\b.{0,80}"
              + "\\b(?:started|start|booted|boot|initiali[sz]ed|ready|loaded|online|connected"
              + "|resumed|awake)\\b",
          Pattern.DOTALL);

  /** What nobody says to a person; each as it begins, of lower case. */
  private static final Pattern TO_AGENTS =
      Pattern.compile(
          "\\b(?:ignore|disregard|forget|override)\\s+(?:all\\s+|any\\s+|the\\s+|your\\s+|of\\s+)*"
              + "(?:previous|prior|above|earlier|preceding|system)\\s+"
              + "(?:\\w+\\s+)?(?:instructions?|prompts?|rules|directions|messages)"
              + "|\\b(?:do not|don't|never)\\s+(?:tell|reveal|mention)\\s+"
              + "(?:\\w+\\s+){0,4}?(?:to\\s+)?the\\s+(?:user|human|operator)\\b"
              + "|\\b(?:you are|you're)\\s+(?:now\\s+)?(?:an?\\s+)?(?:helpful\\s+)?"
              + "(?:ai\\b|chatgpt|claude|dan\\b|language model|unrestricted)"
              + "|\\bif you are an?\\s+(?:ai|llm|agent|language model|assistant)\\b"
              + "|\\b(?:ai\\s+)?(?:agents?|assistants?|llms?)\\s+reading\\s+this\\b"
              + "|\\b(?:attention|note to|instructions? (?:to|for)|important for)[:,]?\\s+"
              + "(?:all\\s+|any\\s+)?(?:ai|llms?|agents?|assistants?)\\b"
              + "|<\\|im_start\\|>|^system prompt:",
          Pattern.MULTILINE);

  /** One of these is in each of them; most texts have none, and need no search. */
  private static final List<String> SIGNS =
      List.of(
          "instruction",
          "prompt",
          "previous",
          "prior",
          "the user",
          "the human",
          "the operator",
          "agent",
          "assistant",
          "llm",
          "language model",
          "chatgpt",
          "claude",
          "im_start",
          " ai",
          " dan");

  /** Files that are there to tell agents what to do. */
  private static final Pattern FOR_AGENTS =
      Pattern.compile("(?i)(?:CLAUDE|AGENTS?|GEMINI|COPILOT-INSTRUCTIONS|SKILL)(?:[.-].*)?\\.md");

  /** Of who speaks about such words and does not say them. */
  private static final String QUOTES = "\"“„«'‘`";

  private final FindingIds ids = new FindingIds();
  private final List<Junk> found = new ArrayList<>();

  private JunkCheck() {}

  /** What is junk among entries: secrets first, then in the order of the entries. */
  public static List<Junk> of(List<NamedEntry> entries) {
    JunkCheck check = new JunkCheck();
    Map<String, Integer> alike = new HashMap<>();
    entries.forEach(
        named -> start(text(named)).ifPresent(form -> alike.merge(form, 1, Integer::sum)));
    for (NamedEntry named : entries) {
      String text = text(named);
      int as = start(text).map(alike::get).orElse(0);
      SecretMask.kindIn(named.entry().body())
          .ifPresent(
              kind ->
                  check.add(named, JunkReason.SECRET, "it holds a secret, by its form: " + kind));
      saysNothing(text).ifPresent(why -> check.add(named, JunkReason.SAYS_NOTHING, why));
      if (as >= FEWEST_ALIKE) {
        check.add(
            named,
            JunkReason.SAYS_NOTHING,
            "%d entries tell of a start in these words, and differ in numbers only".formatted(as));
      }
      if (isToAgents(named, text)) {
        check.add(
            named,
            JunkReason.ADDRESSED_TO_AGENTS,
            "it tells agents what to do, as no note to people does");
      }
    }
    check.found.sort(Comparator.comparing(Junk::reason));
    return List.copyOf(check.found);
  }

  private void add(NamedEntry named, JunkReason reason, String why) {
    String id = ids.of("junk", named.key(), reason.title());
    found.add(new Junk(id, masked(named), reason, why));
  }

  /**
   * Entries as a report may show them: where it tells of junk, with secrets masked. Their keys, and
   * places in their texts, stay.
   */
  public static List<NamedEntry> shown(List<NamedEntry> entries, InsightSettings settings) {
    return settings.junk() ? entries.stream().map(JunkCheck::masked).toList() : entries;
  }

  private static NamedEntry masked(NamedEntry named) {
    Entry entry = named.entry();
    String body = SecretMask.masked(entry.body());
    return body.equals(entry.body())
        ? named
        : new NamedEntry(entry.withBody(body), named.index(), named.key());
  }

  /** A note has its title before its text. */
  private static String text(NamedEntry named) {
    String content = named.entry().text().content().strip();
    int title = content.indexOf("\n\n");
    return named.entry().note().isPresent() && title > 0
        ? content.substring(title).strip()
        : content;
  }

  private static Optional<String> saysNothing(String text) {
    if (text.length() > SHORT) {
      return Optional.empty();
    }
    if (PATH.matcher(text).matches()) {
      return Optional.of("it is a path and nothing else");
    }
    String words = NOT_A_WORD.matcher(text.toLowerCase(Locale.ROOT)).replaceAll(" ").strip();
    return SAYING_NOTHING.contains(words)
        ? Optional.of("it is a test, a greeting or a stand-in, and nothing else")
        : Optional.empty();
  }

  /** The words of an entry that tells of a start, with its numbers left out. */
  private static Optional<String> start(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    return text.length() <= SHORT && START.matcher(lower).find()
        ? Optional.of(NUMBER.matcher(lower).replaceAll("#"))
        : Optional.empty();
  }

  private static boolean isToAgents(NamedEntry named, String text) {
    String file = named.entry().note().orElse("").replaceAll(".*/", "");
    String lower = text.toLowerCase(Locale.ROOT);
    return SIGNS.stream().anyMatch(lower::contains)
        && !FOR_AGENTS.matcher(file).matches()
        && TO_AGENTS.matcher(lower).results().anyMatch(match -> !isQuoted(text, match.start()));
  }

  /** Whether a quotation was begun before a place of a line, or it is in a fence. */
  private static boolean isQuoted(String text, int at) {
    String before = text.substring(Math.min(at, text.lastIndexOf('\n', at) + 1), at);
    long fences =
        text.substring(0, at).lines().filter(line -> line.strip().startsWith("```")).count();
    return fences % 2 == 1
        || before.strip().startsWith(">")
        || before.chars().anyMatch(c -> QUOTES.indexOf(c) >= 0 && c != '\'')
        || before.matches("(?s).*(?:^|\\W)'.*");
  }
}
