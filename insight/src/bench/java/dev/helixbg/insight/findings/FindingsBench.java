package dev.helixbg.insight.findings;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.TopPairs.ScoredPair;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.judge.VerdictRun;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.log.SampleKb;
import dev.helixbg.insight.pairs.ReadingStore;
import dev.helixbg.insight.pairs.RelationReranker;
import dev.helixbg.insight.report.KbFixtures;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.search.AlreadySaid;
import dev.helixbg.insight.search.SearchIndex;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Measures which of the planted findings the program finds. A KB of 382 notes, written by hand, has
 * planted rewrites of a fact, notes overtaken by newer notes, and look-alikes that state another
 * fact. The benchmark also searches for facts that are near the end of long notes.
 */
public final class FindingsBench {
  private static final String FOLDER = "/findings-kb/";
  private static final List<String> PARTS = List.of("a1", "a2", "a3", "b1", "b2", "c1", "c2");
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");

  static final int MAX_TOKENS = 256;

  /** Planted relations of two entries. */
  public enum Planted {
    REWRITE,
    OVERTAKEN,
    LOOKALIKE
  }

  /**
   * The planted pairs among the first {@code pairs} pairs of a ranked list.
   *
   * @param ranking name of the score that orders the list
   * @param others number of pairs that were not planted but are worth an act, as judged by a reader
   *     who saw no ranks
   */
  public record Named(String ranking, int pairs, Map<Planted, Integer> found, int others) {
    /** Returns the number of rewrites and overtaken notes: the planted pairs worth an act. */
    public int wanted() {
      return found.get(Planted.REWRITE) + found.get(Planted.OVERTAKEN);
    }

    /** Returns the share of the pairs that are worth an act, planted or not. */
    public Share precision() {
      return new Share(wanted() + others, pairs);
    }
  }

  /**
   * The number of texts for which a search finds the right entry.
   *
   * @param what kind of the texts: sentences from the end of long notes, or questions in other
   *     words
   * @param way name of the search method
   * @param asked number of texts
   * @param first number of texts whose entry is the first hit
   * @param amongTen number of texts whose entry is among the first ten hits
   */
  public record Found(String what, String way, int asked, int first, int amongTen) {}

  /**
   * The answers of {@code related} for notes. Each note is asked about as if the KB did not contain
   * it.
   *
   * @param what kind of the notes: the newer notes of a kind of planted pairs, notes that are in no
   *     planted pair, or notes on other subjects
   * @param read whether the judge of notes reads the nearest entries
   * @param ofTheRightOne number of answers <i>yes</i> and <i>contradicts</i> that name the other
   *     note of the planted pair
   * @param suspected number of answers <i>perhaps</i> that name this other note first
   */
  public record Said(
      String what,
      boolean read,
      int asked,
      Map<AlreadySaid.Answer, Integer> answers,
      int ofTheRightOne,
      int suspected) {}

  /**
   * The cost of reading the nearest entries for a question.
   *
   * @param pairs mean number of pairs that the judge reads for a question
   * @param millis median time in milliseconds for a question
   * @param mostMillis time in milliseconds that 90 % of the questions do not exceed
   */
  public record ReadingCost(double pairs, double millis, double mostMillis) {}

  /**
   * How often a verdict is right if the known truth answers in place of a language model.
   *
   * @param pairs number of first pairs of the list on which a verdict was asked
   * @param said number of these pairs that got the verdict
   * @param right number of pairs with the verdict that were planted as the matching kind
   * @param planted number of pairs of this kind in the whole KB
   */
  public record Judged(Verdict verdict, int pairs, int said, int right, int planted) {}

  /**
   * All measurements.
   *
   * @param leadingWithoutModel number of leading pairs worth an act if no judge has read the pairs
   * @param leadingRead share of leading pairs worth an act after the judge of notes has read the
   *     list
   * @param leadingWithOracle number of leading pairs worth an act if the known truth judges the
   *     list
   * @param reportByTruth report.json if the known truth judges half as many pairs as there are
   *     entries
   * @param listed number of planted rewrites and overtaken notes in the list of relations
   * @param far number of those pairs whose similarity is too low to lead a report
   * @param trial lines of the file with which helix-bg measures a language model's verdicts
   * @param learned how the order of the judge of notes improves by an agent's answers
   */
  public record Result(
      int entries,
      Map<Planted, Integer> planted,
      List<Named> named,
      List<Judged> judged,
      int leadingWithoutModel,
      Share leadingRead,
      int leadingWithOracle,
      int listed,
      int far,
      List<String> trial,
      byte[] reportByTruth,
      List<Found> found,
      List<Said> said,
      Optional<ReadingCost> reading,
      List<LearningBench.Gain> learned) {

    /** Returns the answers for one kind of notes that were found by vectors alone. */
    public Said said(String what) {
      return said.stream()
          .filter(row -> row.what().equals(what) && !row.read())
          .findFirst()
          .orElseThrow();
    }

    /** Returns the result for one kind of texts and one search method. */
    public Found found(String what, String way) {
      return found.stream()
          .filter(row -> row.what().equals(what) && row.way().equals(way))
          .findFirst()
          .orElseThrow();
    }

    /** Returns the result for one ranking and one number of first pairs. */
    public Named named(String ranking, int pairs) {
      return named.stream()
          .filter(row -> row.ranking().equals(ranking) && row.pairs() == pairs)
          .findFirst()
          .orElseThrow();
    }
  }

  private final PairModel judge;
  private final List<Entry> entries;
  private final LogAccount account;
  private final List<NamedEntry> named;
  private final Map<String, float[]> embedded = new HashMap<>();
  private final Vectors vectors;
  private final PassageVectors passages;
  private final int[] order;
  private final int threads;
  private final Map<String, Integer> indices = new HashMap<>();
  private final Map<Long, Planted> truth = new HashMap<>();
  private final Set<Long> others = new HashSet<>();
  private final Map<String, Integer> byContent = new HashMap<>();

  /** Maps each sentence from a late part of a long note to the index of the note. */
  private final Map<String, Integer> late = new LinkedHashMap<>();

  private final Map<String, Integer> questions = new LinkedHashMap<>();

  /**
   * Questions written later. The weight of words in a search was chosen on them and on {@link
   * #shortOnes}.
   */
  private final Map<String, Integer> more = new LinkedHashMap<>();

  /** Questions about short notes. */
  private final Map<String, Integer> shortOnes = new LinkedHashMap<>();

  /** Notes on software, a subject that the KB does not have. */
  private final List<Entry> strangers;

  private final Path cache;

  private FindingsBench(Path cache, int threads, Precision precision)
      throws IOException, InterruptedException {
    this.cache = cache;
    this.threads = threads;
    this.judge = new PairModel(cache, threads);
    LogReading log = read(cache);
    this.entries = log.entries();
    this.account = log.account();
    this.named = NamedEntry.all(entries, e -> TextKey.of("findings-kb", e.embeddedText()).hex());
    this.order = Analysis.orderByKey(named.stream().map(NamedEntry::key).toList());
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      LocalDateTime time =
          LocalDateTime.ofEpochSecond(entry.timestampMin() * 60L, 0, ZoneOffset.UTC);
      indices.put(entry.topic() + "@" + TIME.format(time), i);
      byContent.put(entry.text().content(), i);
    }
    this.strangers =
        resource("/labels/test.tsv")
            .lines()
            .map(line -> line.split("\t"))
            .map(note -> new Entry(0, note[1], note[2], 0, EntryText.parse(note[2])))
            .toList();
    resource(FOLDER + "truth.tsv").lines().map(line -> line.split("\t")).forEach(this::plant);
    EmbeddingModel usual = bundled(precision, cache, threads);
    try (Embedder embedder = usual.open();
        Embedder entryEmbedder = usual.another(false).orElse(usual).open();
        Embedder passageEmbedder = usual.another(true).orElse(usual).open()) {
      embed(entryEmbedder, entries.stream().map(Entry::embeddedText).toList());
      embed(
          embedder,
          Stream.of(late, questions, more, shortOnes)
              .flatMap(asked -> asked.keySet().stream())
              .toList());
      embed(embedder, strangers.stream().map(Entry::embeddedText).toList());
      this.passages = passages(passageEmbedder);
    }
    this.vectors = Vectors.of(entries.stream().map(e -> embedded.get(e.embeddedText())).toList());
  }

  static EmbeddingModel bundled(Precision precision, Path cache, int threads) {
    return EmbeddingModel.locate(
        new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, precision, MAX_TOKENS),
        cache,
        threads);
  }

  private void embed(Embedder embedder, List<String> texts) throws InterruptedException {
    embedder.embed(texts, (i, vector) -> embedded.put(texts.get(i), vector));
  }

  private PassageVectors passages(Embedder embedder) throws InterruptedException {
    List<Integer> owners = new ArrayList<>();
    List<Passage> found = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      for (Passage passage : Passage.of(entries.get(i), MAX_TOKENS)) {
        owners.add(i);
        found.add(passage);
        texts.add(passage.embeddedText(entries.get(i), MAX_TOKENS));
      }
    }
    embed(embedder, texts);
    return PassageVectors.of(owners, found, texts.stream().map(embedded::get).toList());
  }

  /**
   * Measures everything with vectors of the bundled model.
   *
   * @param cache folder in which the model may be unpacked
   * @param precision precision of the model; with {@code auto}, vectors of entries and passages are
   *     computed by the faster methods for many texts
   * @param related whether to measure {@code related} with the judge of notes, too, which takes
   *     minutes
   */
  public static Result run(Path cache, int threads, Precision precision, boolean related)
      throws IOException, InterruptedException {
    return new FindingsBench(cache, threads, precision).result(related);
  }

  public static String resource(String name) throws IOException {
    try (InputStream in = FindingsBench.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Returns the bytes of the KB's data.log. */
  public static byte[] log() throws IOException {
    return SampleKb.build(source());
  }

  /** Returns the KB in the text form that {@link SampleKb} reads. */
  static String source() throws IOException {
    StringBuilder source = new StringBuilder();
    for (String part : PARTS) {
      source.append(resource(FOLDER + "part-" + part + ".md")).append('\n');
    }
    return source.toString();
  }

  static LogReading read(Path cache) throws IOException {
    Path file = Files.createTempFile(Files.createDirectories(cache), "findings-kb", ".log");
    try {
      Files.write(file, log());
      return DataLog.read(file);
    } finally {
      Files.delete(file);
    }
  }

  private void plant(String[] fact) {
    switch (fact[0]) {
      case "rewrite", "overtaken", "lookalike" ->
          truth.put(
              pair(index(fact[1]), index(fact[2])),
              Planted.valueOf(fact[0].toUpperCase(Locale.ROOT)));
      case "read" -> others.add(pair(index(fact[1]), index(fact[2])));
      case "late" -> late.put(fact[2], index(fact[1]));
      case "question" -> questions.put(fact[2], index(fact[1]));
      case "more" -> more.put(fact[2], index(fact[1]));
      case "short" -> shortOnes.put(fact[2], index(fact[1]));
      default -> throw new IllegalStateException("truth.tsv has an unknown kind: " + fact[0]);
    }
  }

  private int index(String name) {
    Integer index = indices.get(name);
    if (index == null) {
      throw new IllegalStateException("truth.tsv names an entry that does not exist: " + name);
    }
    return index;
  }

  private static long pair(int a, int b) {
    return (long) Math.min(a, b) << 32 | Math.max(a, b);
  }

  /**
   * Returns the lines of the trial of language models: pairs of short notes with the true relation.
   * Pairs in which both notes are needed are look-alikes, and unrelated notes of one topic.
   */
  private List<String> trial() {
    List<String> lines = new ArrayList<>();
    Map<Planted, Integer> wanted =
        Map.of(Planted.REWRITE, 18, Planted.OVERTAKEN, 16, Planted.LOOKALIKE, 14);
    for (Planted kind : Planted.values()) {
      truth.entrySet().stream()
          .filter(fact -> fact.getValue() == kind)
          .map(Map.Entry::getKey)
          .filter(pair -> isShort((int) (pair >>> 32)) && isShort((int) (long) pair))
          .sorted()
          .limit(wanted.get(kind))
          .forEach(pair -> lines.add(line(pair, kind)));
    }
    IntStream.range(0, entries.size())
        .filter(i -> i % 20 == 0 && isShort(i))
        .mapToObj(this::stranger)
        .flatMapToLong(LongStream::of)
        .limit(12)
        .forEach(pair -> lines.add(line(pair, null)));
    return lines;
  }

  /**
   * Returns the entry {@code a} and a later short entry of its topic that forms no planted pair
   * with it. The first such entry is skipped.
   */
  private long[] stranger(int a) {
    return IntStream.range(a + 1, entries.size())
        .filter(b -> entries.get(a).topic().equals(entries.get(b).topic()) && isShort(b))
        .mapToLong(b -> pair(a, b))
        .filter(pair -> !truth.containsKey(pair))
        .skip(1)
        .limit(1)
        .toArray();
  }

  private boolean isShort(int entry) {
    return entries.get(entry).text().content().length() <= 500;
  }

  private String line(long pair, Planted kind) {
    Entry a = entries.get((int) (pair >>> 32));
    Entry b = entries.get((int) pair);
    Entry older = a.timestampMin() <= b.timestampMin() ? a : b;
    String truth =
        kind == Planted.REWRITE ? "SAME" : kind == Planted.OVERTAKEN ? "OVERTAKEN" : "NEITHER";
    return new ObjectMapper()
        .createObjectNode()
        .put("truth", truth)
        .put("older", older.text().content())
        .put("newer", (older == a ? b : a).text().content())
        .toString();
  }

  /**
   * Returns the findings with relations in the order of the judge of notes, which starts without
   * stored readings.
   *
   * @param learned list to which the gain by an agent's answers is added
   */
  private Findings read(Findings findings, List<LearningBench.Gain> learned)
      throws IOException, InterruptedException {
    int shown = Findings.shownRelations(entries.size());
    try (EmptyStore memory = EmptyStore.in(cache, ReadingStore.TABLE)) {
      ReadingStore readings = new ReadingStore(memory.database(), judge.judge().id());
      RelationReranker plain = reranker(readings, _ -> Optional.empty());
      Findings read = findings.with(plain.rank(findings.relations(), shown));
      learned.addAll(
          LearningBench.of(
              said -> reranker(readings, said).rankRemembered(findings.relations(), shown),
              this::isWorthAnAct));
      return read;
    }
  }

  private RelationReranker reranker(
      ReadingStore readings, Function<Finding.Relation, Optional<Boolean>> said) {
    return new RelationReranker(
        readings,
        judge.judge().ofNotes(),
        judge.judge().ofFacts(),
        () -> judge.open(),
        Progress.Display.SILENT,
        Runtime.getRuntime().availableProcessors(),
        said);
  }

  private Result result(boolean related) throws IOException, InterruptedException {
    int count = entries.size();
    Map<Planted, Integer> planted = new EnumMap<>(Planted.class);
    truth.values().forEach(kind -> planted.merge(kind, 1, Integer::sum));
    List<Said> said = new ArrayList<>(said(Optional.empty(), new ArrayList<>()));
    Optional<ReadingCost> cost = Optional.empty();
    if (related) {
      try (PairReader reader = judge.open()) {
        List<double[]> costs = new ArrayList<>();
        said.addAll(said(Optional.of(reader), costs));
        cost = Optional.of(cost(costs));
      }
    }
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      Findings findings = Decisions.NONE.applyTo(Analysis.run(named, vectors, passages, threads));
      List<Long> shipped = findings.relations().stream().map(this::pair).toList();
      List<Long> whole =
          Analysis.run(named, vectors, PassageVectors.NONE, threads).relations().stream()
              .map(this::pair)
              .toList();
      List<LearningBench.Gain> learned = new ArrayList<>();
      Findings read = read(findings, learned);
      List<Long> byJudge = read.relations().stream().map(this::pair).toList();
      List<Long> cosine = cosine(packed);
      List<Named> lists = new ArrayList<>();
      for (int most : new int[] {10, 20, 25, count / 10, 50, 100, count / 2, 200}) {
        lists.add(named("read", byJudge, most));
        lists.add(named("relations", shipped, most));
        lists.add(named("entries", whole, most));
        lists.add(named("cosine", cosine, most));
      }
      List<Finding.Relation> right = findings.relations().stream().filter(this::isWanted).toList();
      List<Judged> judged = new ArrayList<>();
      for (int most : new int[] {25, 50, 100, 200}) {
        Judgements judgements = judgedByTruth(findings, most);
        judged.add(judged(Verdict.SAME, Planted.REWRITE, findings, judgements, most));
        judged.add(judged(Verdict.OVERTAKEN, Planted.OVERTAKEN, findings, judgements, most));
        judged.add(judged(Verdict.RELATED, Planted.LOOKALIKE, findings, judgements, most));
      }
      return new Result(
          count,
          planted,
          lists,
          judged,
          leading(findings, Judgements.NONE),
          new Share(
              leading(read, Judgements.NONE),
              JudgedRelations.of(read.relations(), Judgements.NONE).leading().size()),
          leading(findings, judgedByTruth(findings, 200)),
          right.size(),
          (int) right.stream().filter(Finding.Relation::isFar).count(),
          trial(),
          KbFixtures.json(
              KbFixtures.report(
                  findings,
                  account,
                  new Report.Run("bench", "bundled"),
                  judgedByTruth(findings, count / 2))),
          searches(),
          said,
          cost,
          learned);
    }
  }

  /** Searches with passages and words, as users do, and again with the vectors of entries only. */
  private List<Found> searches() {
    List<Found> found = new ArrayList<>();
    for (boolean shipped : new boolean[] {true, false}) {
      try (SearchIndex index =
          SearchIndex.of(known(shipped ? passages : PassageVectors.NONE), MAX_TOKENS)) {
        String way = shipped ? "passages and words" : "entries";
        found.add(found("late sentences", way, late, index, shipped));
        found.add(found("questions", way, questions, index, shipped));
        found.add(found("more questions", way, more, index, shipped));
        found.add(found("short notes", way, shortOnes, index, shipped));
      }
    }
    return found;
  }

  private KbEntries known(PassageVectors withPassages) {
    return new KbEntries(
        named, vectors, withPassages, account, new Coverage(named.size(), named.size()), "bench");
  }

  /**
   * Asks {@code related} about notes as if an agent were about to store them.
   *
   * @param costs list to which the number of read pairs and the milliseconds of each question are
   *     added
   */
  private List<Said> said(Optional<PairReader> reader, List<double[]> costs)
      throws InterruptedException {
    List<Said> said = new ArrayList<>();
    try (SearchIndex index = SearchIndex.of(known(passages), MAX_TOKENS)) {
      Set<Integer> planted = new HashSet<>();
      for (Planted kind : Planted.values()) {
        Map<Entry, String> older = new LinkedHashMap<>();
        truth.forEach(
            (pair, is) -> {
              int a = (int) (pair >>> 32);
              int b = (int) (long) pair;
              planted.addAll(List.of(a, b));
              if (is == kind) {
                int newer = newer(a, b);
                older.put(entries.get(newer), named.get(newer == a ? b : a).name());
              }
            });
        said.add(said(kind.name().toLowerCase(Locale.ROOT), older, index, reader, costs));
      }
      Map<Entry, String> others = new LinkedHashMap<>();
      IntStream.range(0, entries.size())
          .filter(i -> !planted.contains(i))
          .forEach(i -> others.put(entries.get(i), ""));
      said.add(said("others", others, index, reader, costs));
      Map<Entry, String> foreign = new LinkedHashMap<>();
      strangers.forEach(entry -> foreign.put(entry, ""));
      said.add(said("of another subject", foreign, index, reader, costs));
    }
    return said;
  }

  private int newer(int a, int b) {
    return entries.get(a).timestampMin() > entries.get(b).timestampMin() ? a : b;
  }

  /**
   * Asks {@code related} about notes.
   *
   * @param asked for each note, the name of the other note of its planted pair; empty if there is
   *     none
   */
  private Said said(
      String what,
      Map<Entry, String> asked,
      SearchIndex index,
      Optional<PairReader> reader,
      List<double[]> costs)
      throws InterruptedException {
    Map<AlreadySaid.Answer, Integer> answers = new EnumMap<>(AlreadySaid.Answer.class);
    for (AlreadySaid.Answer answer : AlreadySaid.Answer.values()) {
      answers.put(answer, 0);
    }
    int right = 0;
    int suspected = 0;
    for (Map.Entry<Entry, String> one : asked.entrySet()) {
      AlreadySaid.Question question = question(one.getKey(), index);
      long start = System.nanoTime();
      AlreadySaid said =
          reader.isPresent()
              ? question.read(reader.get(), judge.judge(), Finding.PairKind.NEAR_DUPLICATE_FROM)
              : question.byVectors(Finding.PairKind.NEAR_DUPLICATE_FROM);
      costs.add(new double[] {question.worthReading().size(), (System.nanoTime() - start) / 1e6});
      answers.merge(said.answer(), 1, Integer::sum);
      if (said.entry().filter(one.getValue()::equals).isPresent()) {
        boolean perhaps = said.answer() == AlreadySaid.Answer.PERHAPS;
        suspected += perhaps ? 1 : 0;
        right += perhaps ? 0 : 1;
      }
    }
    return new Said(what, reader.isPresent(), asked.size(), answers, right, suspected);
  }

  /** Makes the question for a note; the note itself is removed from the hits. */
  private AlreadySaid.Question question(Entry entry, SearchIndex index) {
    String text = entry.embeddedText();
    SearchIndex.Query query =
        new SearchIndex.Query(
            text, embedded.get(text), Optional.empty(), 0, AlreadySaid.LOOKED_AT + 1);
    return new AlreadySaid.Question(
        entry.text().content(),
        Passage.of(entry, MAX_TOKENS).isEmpty(),
        true,
        index.search(List.of(query)).getFirst().stream()
            .filter(hit -> hit.entry().entry() != entry)
            .map(FindingsBench::near)
            .toList());
  }

  static AlreadySaid.Near near(SearchIndex.Hit hit) {
    Entry entry = hit.entry().entry();
    String whole = entry.text().content();
    String matched = hit.passage().start() == 0 ? whole : hit.passage().text(entry);
    return new AlreadySaid.Near(
        hit.entry().name(), PairReader.Kind.NOTES, matched, whole, hit.similarity());
  }

  private static ReadingCost cost(List<double[]> costs) {
    double[] millis = costs.stream().mapToDouble(cost -> cost[1]).sorted().toArray();
    return new ReadingCost(
        costs.stream().mapToDouble(cost -> cost[0]).average().orElse(0),
        millis[millis.length / 2],
        millis[millis.length * 9 / 10]);
  }

  private Found found(
      String what, String way, Map<String, Integer> asked, SearchIndex index, boolean words) {
    int first = 0;
    int amongTen = 0;
    for (Map.Entry<String, Integer> sought : asked.entrySet()) {
      String text = sought.getKey();
      SearchIndex.Query query =
          new SearchIndex.Query(words ? text : "", embedded.get(text), Optional.empty(), 0, 10);
      List<Entry> hits =
          index.search(List.of(query)).getFirst().stream().map(hit -> hit.entry().entry()).toList();
      int place = hits.indexOf(entries.get(sought.getValue()));
      first += place == 0 ? 1 : 0;
      amongTen += place >= 0 ? 1 : 0;
    }
    return new Found(what, way, asked.size(), first, amongTen);
  }

  private long pair(Finding.Relation pair) {
    return pair(index(pair.a()), index(pair.b()));
  }

  private int index(NamedEntry entry) {
    return byContent.get(entry.entry().text().content());
  }

  /** Returns the number of pairs that lead a report and are worth an act. */
  private int leading(Findings findings, Judgements judgements) {
    return (int)
        JudgedRelations.of(findings.relations(), judgements).leading().stream()
            .filter(this::isWorthAnAct)
            .count();
  }

  private boolean isWorthAnAct(Finding.Relation relation) {
    return isWanted(relation) || others.contains(pair(relation));
  }

  private boolean isWanted(Finding.Relation relation) {
    Planted kind = truth.get(pair(relation));
    return kind == Planted.REWRITE || kind == Planted.OVERTAKEN;
  }

  private Judged judged(
      Verdict verdict, Planted kind, Findings findings, Judgements judgements, int most) {
    List<Finding.Relation> said =
        findings.relations().stream()
            .filter(
                pair ->
                    judgements.verdict(pair).filter(one -> one.verdict() == verdict).isPresent())
            .toList();
    return new Judged(
        verdict,
        most,
        said.size(),
        (int) said.stream().filter(relation -> truth.get(pair(relation)) == kind).count(),
        (int) truth.values().stream().filter(planted -> planted == kind).count());
  }

  /** Judges the first pairs in a usual run, with the known truth in place of the model. */
  private Judgements judgedByTruth(Findings findings, int most) {
    try (EmptyStore memory = EmptyStore.in(cache, AnswerStore.TABLE);
        QuestionSession asking =
            new QuestionSession(
                new AnswerStore(memory.database()),
                "truth",
                () -> (questions, cancelled) -> questions.stream().map(this::answer).toList(),
                Duration.ofDays(1),
                () -> 0,
                JudgeProgress.SILENT,
                () -> false)) {
      VerdictRun run = new VerdictRun(asking, findings.relations());
      run.ask(most);
      return new Judgements(
          Optional.of("the truth"),
          Map.of(),
          run.verdicts(),
          Map.of(),
          List.of(),
          Map.of(),
          Optional.of(new JudgeTrust(60, 60, Map.of(), 1)),
          Judgements.Lessons.NONE,
          AgentSayings.NONE);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the true answer to a question. An entry is <i>outdated</i> only if it is the older one
   * of a planted pair.
   */
  private Answer answer(Question question) {
    return switch (question) {
      case Question.Compare(String a, String b, _) -> {
        Planted kind = truth.get(pair(byContent.get(a), byContent.get(b)));
        yield new Answer(
            kind == null ? "different" : kind == Planted.REWRITE ? "same" : "related",
            1,
            kind == Planted.LOOKALIKE ? "same" : "related",
            0,
            false);
      }
      case Question.Overtaken(String older, String newer, _) -> {
        int one = byContent.get(older);
        int other = byContent.get(newer);
        boolean overtaken =
            truth.get(pair(one, other)) == Planted.OVERTAKEN
                && entries.get(one).timestampMin() < entries.get(other).timestampMin();
        yield new Answer(
            overtaken ? "outdated" : "valid", 1, overtaken ? "valid" : "outdated", 0, false);
      }
      default -> throw new IllegalArgumentException("the truth has no answer to " + question);
    };
  }

  private List<Long> cosine(PackedVectors packed) {
    TopPairs best = new TopPairs(1_000, order);
    AllPairs.among(packed, Float.NEGATIVE_INFINITY, 1, best::offer);
    return best.bestFirst().stream().map((ScoredPair p) -> pair(p.a(), p.b())).toList();
  }

  private Named named(String ranking, List<Long> pairs, int most) {
    Map<Planted, Integer> found = new EnumMap<>(Planted.class);
    for (Planted kind : Planted.values()) {
      found.put(kind, (int) pairs.stream().limit(most).filter(p -> truth.get(p) == kind).count());
    }
    return new Named(
        ranking, most, found, (int) pairs.stream().limit(most).filter(others::contains).count());
  }
}
