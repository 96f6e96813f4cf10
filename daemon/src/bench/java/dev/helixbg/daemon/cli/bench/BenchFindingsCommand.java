package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.run.ModelTrial;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.terminal.TerminalProgress;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairSource;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.FindingsBench;
import dev.helixbg.insight.findings.FindingsBench.Found;
import dev.helixbg.insight.findings.FindingsBench.Judged;
import dev.helixbg.insight.findings.FindingsBench.Named;
import dev.helixbg.insight.findings.FindingsBench.Planted;
import dev.helixbg.insight.findings.FindingsBench.Result;
import dev.helixbg.insight.findings.FindingsBench.Said;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.LabelledPairs;
import dev.helixbg.insight.findings.LearningBench;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.RelationsCost;
import dev.helixbg.insight.findings.Share;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.pairs.RelationReranker;
import dev.helixbg.insight.search.AlreadySaid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Measures how much of the content that was planted in a KB appears in the KB's findings. */
final class BenchFindingsCommand extends JsonCommand {
  private static final int MAX_ENTRIES = 200_000;
  private final KbOption kb = KbOption.withArgument();
  private Path truth;
  private Integer cost;
  private Path model;
  private Precision precision = Precision.AUTO;
  private String threads;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure what helix-bg finds in 382 notes with planted content. Among the first pairs of"
            + " the list of relations, count the planted rewrites, overtaken notes and look-alikes"
            + " (notes in similar words about another fact). Compare that list with a list made"
            + " without passages, and with a list ordered by similarity alone. Count also the"
            + " searches that find a text late in a long note.");
    to.add(options, kb);
    to.option(
        "--truth=FILE",
        "Measure instead the list of relations of your own knowledge base, or of notes (--notes)."
            + " Each line of FILE has three fields, separated by tabs: same, overtaken, related or"
            + " lookalike, then the names or ids of two entries. The output has the precision (the"
            + " share of listed pairs that FILE calls same or overtaken) and the recall (the share"
            + " of these pairs of FILE that are listed), with 95 %% intervals. It counts the first"
            + " 10, 20 and 50 pairs, and a tenth and half as many pairs as entries, in two orders:"
            + " by the pair judge, and by vectors and words alone. Nothing is written into the"
            + " folder of the knowledge base.",
        Path.class,
        given -> truth = given);
    to.option(
        "--cost=N",
        "Measure instead the time that the list of relations takes for N random entries.",
        Integer.class,
        given -> cost = given);
    to.option(
        "--model=FILE",
        "Measure instead how reliably a language model judges pairs: ask it about 60 pairs with"
            + " known verdicts. Reports and 'doctor' use the result, which is stored.",
        Path.class,
        given -> model = given);
    to.option(
        "--precision=PRECISION",
        "Precision of the embedding model's weights: ${COMPLETION-CANDIDATES} (default: auto).",
        Precision.class,
        given -> precision = given);
    to.option("--threads=N", "Number of threads; 0 means one per core.", given -> threads = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    if (cost != null && (cost < 2 || cost > MAX_ENTRIES)) {
      throw new Failure(ExitCode.USAGE, "--cost must be from 2 to %d".formatted(MAX_ENTRIES));
    }
    Settings settings = options.settings(threads);
    if (truth != null) {
      measureList(settings);
      return;
    }
    if (kb.named().isPresent()) {
      throw Failure.usage(
          "to measure your own knowledge base, name a file of known pairs with --truth FILE");
    }
    if (cost != null) {
      RelationsCost.Cost measured = RelationsCost.of(cost, settings.threads());
      show(() -> toJson(measured), () -> print(measured));
      return;
    }
    if (model != null) {
      JudgeTrust trust = measure(settings);
      show(() -> toJson(trust), () -> console.say("%s", trust.words()));
      return;
    }
    Result result = FindingsBench.run(settings.cache(), settings.threads(), precision, true);
    show(() -> toJson(result), () -> print(result));
  }

  /** Measures the list of the user's own KB, ranked with and without the pair judges. */
  private void measureList(Settings settings) throws IOException, InterruptedException {
    Kb chosen = kb.find(settings);
    LogReading log = DataLog.readQuiet(chosen.dataLog());
    EmbedderSource source = EmbeddingModel.locate(settings);
    LabelledPairs pairs;
    try { // fails before anything is embedded
      pairs =
          LabelledPairs.read(
              truth,
              NamedEntry.all(
                  log.entries(), entry -> TextKey.of(source.id(), entry.embeddedText()).hex()));
    } catch (IOException e) {
      throw Failure.usage(e.getMessage());
    }
    try (KbStores stores = stores(settings)) {
      measureList(settings, stores.of(chosen), log, source, pairs);
    }
  }

  private void measureList(
      Settings settings, KbStore store, LogReading log, EmbedderSource source, LabelledPairs pairs)
      throws IOException, InterruptedException {
    KbEntries known;
    try (EmbeddingStage stage =
        new EmbeddingStage(store.database(), source, TerminalProgress.on(console), log)) {
      stage.run();
      known = stage.result().entries();
    }
    Findings findings =
        Analysis.run(known.named(), known.vectors(), known.passages(), settings.threads());
    List<LabelledPairs.Row> rows = new ArrayList<>();
    List<LearningBench.Gain> gains = new ArrayList<>();
    try {
      PairSource judge = new PairModel(settings.cache(), settings.threads());
      int shown = Findings.shownRelations(findings.entries().size());
      RelationReranker plain = reranker(store, judge, _ -> Optional.empty());
      rows.addAll(pairs.rows("pair judge", plain.rank(findings.relations(), shown)));
      gains.addAll(
          pairs.gains(
              said -> reranker(store, judge, said).rankRemembered(findings.relations(), shown)));
    } catch (EmbeddingException e) {
      console.warn("%s", e.getMessage());
    }
    rows.addAll(pairs.rows("score", findings.relations()));
    show(
        () -> toJson(pairs, rows).set("learned", Json.array(gains, Json::of)),
        () -> {
          print(pairs, rows);
          gains.forEach(this::print);
        });
  }

  private static RelationReranker reranker(
      KbStore store, PairSource judge, Function<Finding.Relation, Optional<Boolean>> said) {
    return new RelationReranker(
        store.readings(judge.judge().id()),
        judge.judge().ofNotes(),
        judge.judge().ofFacts(),
        judge::open,
        Progress.Display.SILENT,
        Runtime.getRuntime().availableProcessors(),
        said);
  }

  private void print(LearningBench.Gain gain) {
    console.say(
        "of the first %d pairs that an agent has not read when it has answered %d questions, %.1f"
            + " are worth an edit; if the pair judge learns from the answers, %.1f",
        gain.first(), LearningBench.ANSWERS, gain.before(), gain.after());
  }

  private void print(LabelledPairs pairs, List<LabelledPairs.Row> rows) {
    console.say("%s", words(pairs.counts()));
    console.say("%-10s %5s  %-14s %-14s  %s", "ranked by", "pairs", "precision", "recall", "found");
    for (LabelledPairs.Row row : rows) {
      console.say(
          "%-10s %5d  %-14s %-14s  %s",
          row.ranking(),
          row.pairs(),
          row.precision().words(),
          row.recall().words(),
          words(row.found()));
    }
  }

  private static String words(Map<LabelledPairs.Truth, Integer> counts) {
    return counts.entrySet().stream()
        .map(one -> one.getValue() + " " + one.getKey().word())
        .collect(Collectors.joining(", "));
  }

  private static ObjectNode toJson(LabelledPairs pairs, List<LabelledPairs.Row> rows) {
    ObjectNode json = Json.object();
    json.set("truth", toJson(pairs.counts()));
    json.set(
        "lists",
        Json.array(
            rows,
            row -> {
              ObjectNode one =
                  Json.object().put("rankedBy", row.ranking()).put("pairs", row.pairs());
              one.set("named", toJson(row.found()));
              one.set("precision", toJson(row.precision()));
              one.set("recall", toJson(row.recall()));
              return one;
            }));
    return json;
  }

  private static ObjectNode toJson(Map<LabelledPairs.Truth, Integer> counts) {
    ObjectNode json = Json.object();
    counts.forEach((one, count) -> json.put(one.word(), count));
    return json;
  }

  private static ObjectNode toJson(Share share) {
    return Json.of(share)
        .put("share", Json.sixDecimals(share.value()))
        .put("low", Json.sixDecimals(share.low()))
        .put("high", Json.sixDecimals(share.high()));
  }

  private JudgeTrust measure(Settings settings) throws IOException, InterruptedException {
    if (!Files.isRegularFile(model)) {
      throw new Failure(ExitCode.MODEL, "no such language model: " + model + " is not a file");
    }
    LanguageModelFile file = new LanguageModelFile(model);
    JudgeProgress progress =
        (_, all) ->
            new Progress() {
              private long done;

              @Override
              public void step(long questions, long work) {
                done += questions;
                console.err().printf("%d of %d pairs%n", done, all);
              }
            };
    return ModelTrial.ofJudge(settings, file)
        .run(
            () -> file.open(settings),
            Duration.ofDays(1),
            System::nanoTime,
            progress,
            () -> Thread.currentThread().isInterrupted())
        .orElseThrow();
  }

  private static ObjectNode toJson(JudgeTrust trust) {
    ObjectNode json = Json.object().put("pairs", trust.pairs()).put("right", trust.right());
    for (Verdict verdict : Verdict.values()) {
      JudgeTrust.Tally tally = trust.said().getOrDefault(verdict, new JudgeTrust.Tally(0, 0));
      json.set(verdict.title(), Json.of(tally));
    }
    return json.put("kappa", Json.sixDecimals(trust.kappa())).put("guessing", trust.isGuessing());
  }

  private void print(Result result) {
    console.say("%d entries", result.entries());
    console.say(
        "%-12s %6s %12s %12s %7s %12s  %s",
        "ranked by", "pairs", "rewrites", "overtaken", "others", "look-alikes", "precision (95 %)");
    for (Named row : result.named()) {
      console.say(
          "%-12s %6d %12s %12s %7d %12s  %s",
          row.ranking(),
          row.pairs(),
          of(row, Planted.REWRITE, result),
          of(row, Planted.OVERTAKEN, result),
          row.others(),
          of(row, Planted.LOOKALIKE, result),
          row.precision().words());
    }
    for (Judged row : result.judged()) {
      console.say(
          "known verdicts instead of a judge, first %3d pairs: %-9s given %2d times, right %2d"
              + " times, %d planted",
          row.pairs(), row.verdict().title(), row.said(), row.right(), row.planted());
    }
    console.say(
        "leading pairs that are worth an edit: %d of %d if the pair judge reads the list, %d of 10"
            + " if it does not, %d of 20 with known verdicts",
        result.leadingRead().good(),
        result.leadingRead().of(),
        result.leadingWithoutModel(),
        result.leadingWithOracle());
    for (Found row : result.found()) {
      console.say(
          "%-14s searched by %-18s right entry first: %2d, among the first ten: %2d, of %d"
              + " searches",
          row.what(), row.way(), row.first(), row.amongTen(), row.asked());
    }
    for (Said row : result.said()) {
      console.say(
          "'related' %-10s %-18s %3d asked: yes %2d, contradicts %2d (%d name the planted entry),"
              + " perhaps %3d (%d name it), no %3d",
          row.read() ? "read" : "by vectors",
          row.what(),
          row.asked(),
          row.answers().get(AlreadySaid.Answer.YES),
          row.answers().get(AlreadySaid.Answer.CONTRADICTS),
          row.ofTheRightOne(),
          row.answers().get(AlreadySaid.Answer.PERHAPS),
          row.suspected(),
          row.answers().get(AlreadySaid.Answer.NO));
    }
    result
        .reading()
        .ifPresent(
            cost ->
                console.say(
                    "for an answer of 'related', the pair judge reads %.1f pairs; median time %.0f"
                        + " ms, 90th percentile %.0f ms",
                    cost.pairs(), cost.millis(), cost.mostMillis()));
    result.learned().forEach(this::print);
  }

  private static String of(Named row, Planted kind, Result result) {
    return row.found().get(kind) + " of " + result.planted().get(kind);
  }

  private void print(RelationsCost.Cost cost) {
    console.say("%d entries, %d threads", cost.entries(), cost.threads());
    console.say("all pairs that are similar enough       %8.2f s", cost.pairs());
    console.say("the ten entries nearest to each entry   %8.2f s", cost.nearest());
    console.say("  the same after one new entry          %8.2f s", cost.oneMore());
    console.say("ten nearest by terms, and the list      %8.2f s", cost.ranking());
  }

  private static ObjectNode toJson(Result result) {
    ObjectNode json = Json.object().put("entries", result.entries());
    ObjectNode planted = json.putObject("planted");
    result.planted().forEach((kind, count) -> planted.put(name(kind), count));
    json.set("relations", Json.array(result.named(), BenchFindingsCommand::toJson));
    json.set("judgedByTruth", Json.array(result.judged(), BenchFindingsCommand::toJson));
    json.put("leadingWithoutModel", result.leadingWithoutModel());
    json.set("leadingRead", toJson(result.leadingRead()));
    json.put("leadingWithTruth", result.leadingWithOracle());
    json.set("searches", Json.array(result.found(), Json::of));
    json.set("alreadySaid", Json.array(result.said(), BenchFindingsCommand::toJson));
    result.reading().ifPresent(cost -> json.set("alreadySaidReading", Json.of(cost)));
    json.set("learned", Json.array(result.learned(), Json::of));
    return json;
  }

  private static ObjectNode toJson(Named row) {
    ObjectNode json = Json.object().put("rankedBy", row.ranking()).put("pairs", row.pairs());
    row.found().forEach((kind, count) -> json.put(name(kind), count));
    json.put("others", row.others());
    return json.set("precision", toJson(row.precision()));
  }

  private static ObjectNode toJson(Judged row) {
    return Json.of(row).put("verdict", row.verdict().title());
  }

  private static ObjectNode toJson(Said row) {
    ObjectNode json =
        Json.object()
            .put("what", row.what())
            .put("read", row.read())
            .put("asked", row.asked())
            .put("ofTheRightOne", row.ofTheRightOne())
            .put("suspected", row.suspected());
    row.answers().forEach((answer, count) -> json.put(Json.word(answer), count));
    return json;
  }

  private static String name(Planted kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static ObjectNode toJson(RelationsCost.Cost cost) {
    return Json.object()
        .put("entries", cost.entries())
        .put("threads", cost.threads())
        .put("allPairsSeconds", cost.pairs())
        .put("nearestSeconds", cost.nearest())
        .put("nearestOneMoreSeconds", cost.oneMore())
        .put("rankingSeconds", cost.ranking());
  }
}
