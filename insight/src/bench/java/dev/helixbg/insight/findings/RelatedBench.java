package dev.helixbg.insight.findings;

import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.search.AlreadySaid;
import dev.helixbg.insight.search.SearchIndex;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the answers of {@code related} for notes in which one fact was changed, and for notes
 * that say the same in other words. Such changes and rewrites in eight languages, in {@code
 * related/*.tsv}, were written by hand. In addition, {@link #RULES} change facts in the notes of
 * {@link FindingsBench}.
 */
public final class RelatedBench {
  private static final List<String> LANGUAGES =
      List.of("en", "de", "fr", "es", "pt", "ru", "zh", "ja");
  private static final double NEAR_DUPLICATE = 0.92;

  /** Number of notes that each rule changes. */
  private static final int OF_A_RULE = 30;

  /**
   * The rules that change one fact of an English note: the rule's name, and a pattern of the text
   * that it changes.
   */
  private static final Map<String, Pattern> RULES =
      Map.of(
          "number", Pattern.compile("\\b\\d+\\b"),
          "negation", Pattern.compile("\\b(?:is|are|was|can|has|does)\\b(?! not)"),
          "denial left out", Pattern.compile("(?<=\\w) not\\b"),
          "modal", Pattern.compile("\\b(?:must|should|can|may|will)\\b(?! not)"),
          "unit", Pattern.compile("(?<=\\d )(?:minutes|seconds|days|hours|%|ms|h)"),
          "name", Pattern.compile("(?<=[a-z,] )[A-Z][a-z]+\\b"),
          "order", Pattern.compile("\\b([a-z]{4,}) (before|than|to|from|with) ([a-z]{4,})\\b"),
          "added clause", Pattern.compile("(?<=[.`])\\s*\\z"),
          "missing clause", Pattern.compile("(?<=[.] )[A-Z][^.]{12,}[.]\\s*\\z"));

  /**
   * A changed copy of a note, about which {@code related} is asked.
   *
   * @param what name of the change
   * @param edit whether the change alters a fact
   * @param language language of the note
   * @param from the entry from which the text was made
   */
  public record Asked(String what, boolean edit, String language, Entry from, String text) {}

  /**
   * The answer for a text.
   *
   * @param said the program's answer
   * @param ofTheRightOne whether the answer names the note from which the text was made
   */
  public record Answered(Asked asked, AlreadySaid said, boolean ofTheRightOne) {}

  /** Beginning of the name of a change that was made in a rewritten note. */
  private static final String REWRITTEN = "in other words, and ";

  private final List<Entry> kb = new ArrayList<>();
  private final List<Asked> asked = new ArrayList<>();

  private RelatedBench(Path cache) throws IOException {
    List<Entry> planted = FindingsBench.read(cache).entries();
    kb.addAll(planted);
    Map<String, Entry> byTime = new HashMap<>();
    planted.forEach(
        entry ->
            byTime.put(
                entry.topic() + "@" + entry.written().orElseThrow().replace('T', ' '), entry));
    FindingsBench.resource("/findings-kb/truth.tsv")
        .lines()
        .map(line -> line.split("\t"))
        .filter(row -> row[0].equals("rewrite"))
        .forEach(row -> asked.add(planted(byTime.get(row[1]), byTime.get(row[2]))));
    RULES.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            rule -> {
              List<Asked> rewrites = List.copyOf(asked);
              planted.stream()
                  .flatMap(
                      entry -> changed(rule.getKey(), rule.getValue(), entry, text(entry)).stream())
                  .limit(OF_A_RULE)
                  .forEach(asked::add);
              rewrites.stream()
                  .filter(one -> one.what().equals("planted"))
                  .flatMap(
                      one ->
                          changed(rule.getKey(), rule.getValue(), one.from(), one.text()).stream())
                  .map(one -> new Asked(REWRITTEN + one.what(), true, "en", one.from(), one.text()))
                  .forEach(asked::add);
            });
    for (String language : LANGUAGES) {
      readWritten(language);
    }
  }

  /** Asks about the newer note of a planted rewrite; the KB contains the older note. */
  private static Asked planted(Entry a, Entry b) {
    Entry older = a.timestampMin() <= b.timestampMin() ? a : b;
    return rewrite("planted", "en", older, text(older == a ? b : a));
  }

  private static String text(Entry entry) {
    return entry.text().content();
  }

  private static Asked rewrite(String what, String language, Entry from, String text) {
    return new Asked(what, false, language, from, text);
  }

  private static Optional<Asked> changed(String what, Pattern where, Entry from, String text) {
    Matcher found = where.matcher(text);
    if (!found.find()) {
      return Optional.empty();
    }
    String was = found.group();
    String is =
        switch (what) {
          case "number" -> was.length() > 9 ? "1" + was : Long.toString(Long.parseLong(was) + 1);
          case "negation" -> was + " not";
          case "denial left out", "missing clause" -> "";
          case "modal" -> was.equals("may") ? "must" : "may";
          case "unit" -> was.equals("days") ? "weeks" : "days";
          case "name" -> was.equals("Marlow") ? "Odile" : "Marlow";
          case "order" -> found.group(3) + " " + found.group(2) + " " + found.group(1);
          default -> " The landlord ended the contract.";
        };
    String edited = text.substring(0, found.start()) + is + text.substring(found.end());
    return Optional.of(new Asked(what, true, "en", from, edited));
  }

  /**
   * Reads the changes of a language. Each change is made in a note by itself, and in a long note
   * that consists of all notes.
   */
  private void readWritten(String language) throws IOException {
    List<String[]> rows =
        FindingsBench.resource("/related/" + language + ".tsv")
            .lines()
            .map(line -> line.split("\t"))
            .toList();
    StringBuilder all = new StringBuilder();
    rows.stream().filter(row -> row[0].equals("note")).forEach(row -> all.append(row[1] + "\n\n"));
    Entry whole = add(all.toString().strip());
    Entry note = whole;
    for (String[] row : rows) {
      switch (row[0]) {
        case "note" -> {
          note = add(row[1]);
          cosmetic(language, note);
        }
        case "rewrite" -> asked.add(rewrite("written", language, note, row[1]));
        default -> {
          asked.add(edit(row, language, note, text(note)));
          asked.add(edit(row, language, whole, text(note)));
        }
      }
    }
  }

  private Entry add(String text) {
    Entry entry = Entry.of(8 + kb.size(), "written", text, 0);
    kb.add(entry);
    return entry;
  }

  private static Asked edit(String[] row, String language, Entry from, String note) {
    String edited = note.replaceFirst(Pattern.quote(row[1]), Matcher.quoteReplacement(row[2]));
    if (row.length != 3 || edited.equals(note)) {
      throw new IllegalStateException("no edit: " + String.join(" | ", row));
    }
    return new Asked(row[0], true, language, from, text(from).replace(note, edited));
  }

  /** Adds changes of form, such as editors, mail programs and file systems make. */
  private void cosmetic(String language, Entry note) {
    String text = text(note);
    String decomposed = Normalizer.normalize(text, Normalizer.Form.NFD);
    asked.add(
        rewrite(
            "other line ends, decomposed",
            language,
            note,
            decomposed.replace(". ", ".\r\n") + "\n"));
    String end = text.contains("。") ? "。" : ". ";
    asked.add(
        rewrite(
            "a list in bold", language, note, "- **" + text.replace(end, end + "**\n- **") + "**"));
  }

  /**
   * Asks {@code related} about all texts.
   *
   * @param cache folder in which the models may be unpacked
   * @param precision precision of the model; with {@code auto}, vectors of entries and passages are
   *     computed by the faster methods for many texts
   */
  public static List<Answered> run(Path cache, int threads, Precision precision)
      throws IOException, InterruptedException {
    return new RelatedBench(cache).answers(cache, threads, precision);
  }

  private List<Answered> answers(Path cache, int threads, Precision precision)
      throws InterruptedException {
    List<NamedEntry> named = NamedEntry.all(kb, e -> TextKey.of("related", e.embeddedText()).hex());
    Map<Entry, String> names = new HashMap<>();
    named.forEach(one -> names.put(one.entry(), one.name()));
    PairModel judge = new PairModel(cache, threads);
    List<Answered> answers = new ArrayList<>();
    EmbeddingModel usual = FindingsBench.bundled(precision, cache, threads);
    try (Embedder embedder = usual.open();
        Embedder entries = usual.another(false).orElse(usual).open();
        Embedder passages = usual.another(true).orElse(usual).open();
        PairReader reader = judge.open();
        SearchIndex index =
            SearchIndex.of(known(entries, passages, named), FindingsBench.MAX_TOKENS)) {
      Map<String, float[]> vectors =
          embed(embedder, asked.stream().map(Asked::text).distinct().toList());
      for (Asked one : asked) {
        AlreadySaid said =
            question(one, vectors.get(one.text()), index)
                .read(reader, judge.judge(), NEAR_DUPLICATE);
        boolean right = said.entry().filter(names.get(one.from())::equals).isPresent();
        answers.add(new Answered(one, said, right));
      }
    }
    return answers;
  }

  private static AlreadySaid.Question question(Asked one, float[] vector, SearchIndex index) {
    Entry stored = Entry.of(0, one.from().topic(), one.text(), 0);
    return new AlreadySaid.Question(
        one.text(),
        Passage.of(stored, FindingsBench.MAX_TOKENS).isEmpty(),
        true,
        index
            .search(
                List.of(
                    new SearchIndex.Query(
                        one.text(), vector, Optional.empty(), 0, AlreadySaid.LOOKED_AT + 1)))
            .getFirst()
            .stream()
            .filter(hit -> !text(hit.entry().entry()).equals(one.text()))
            .map(FindingsBench::near)
            .toList());
  }

  private static KbEntries known(Embedder ofEntries, Embedder ofPassages, List<NamedEntry> named)
      throws InterruptedException {
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < named.size(); i++) {
      Entry entry = named.get(i).entry();
      for (Passage passage : Passage.of(entry, FindingsBench.MAX_TOKENS)) {
        owners.add(i);
        passages.add(passage);
        texts.add(passage.embeddedText(entry, FindingsBench.MAX_TOKENS));
      }
    }
    List<String> whole = named.stream().map(one -> one.entry().embeddedText()).toList();
    Map<String, float[]> vectors = embed(ofEntries, whole);
    Map<String, float[]> parts = embed(ofPassages, texts);
    return new KbEntries(
        named,
        Vectors.of(whole.stream().map(vectors::get).toList()),
        PassageVectors.of(owners, passages, texts.stream().map(parts::get).toList()),
        new LogAccount(0, "", named.size(), 0, named.size(), List.of()),
        new Coverage(named.size(), named.size()),
        "bench");
  }

  private static Map<String, float[]> embed(Embedder embedder, List<String> texts)
      throws InterruptedException {
    Map<String, float[]> vectors = new LinkedHashMap<>();
    embedder.embed(texts, (i, vector) -> vectors.put(texts.get(i), vector));
    return vectors;
  }
}
