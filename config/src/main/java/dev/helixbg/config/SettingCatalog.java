package dev.helixbg.config;

import dev.helixbg.config.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.EmbedSettings.Precision;
import java.nio.file.Path;
import java.util.List;

/** All settings there are, in the order in which they are documented and printed. */
final class SettingCatalog {
  final Setting<Path> kb;
  final Setting<Integer> threads;
  final Setting<Path> cache;
  final Setting<Path> models;
  final Setting<ExecutionProvider> provider;
  final Setting<Precision> precision;
  final Setting<Integer> maxTokens;
  final Setting<Path> llmModel;
  final Setting<Integer> llmSeconds;
  final Setting<Integer> llmEntryTokens;
  final Setting<Double> topicOverlap;
  final Setting<Double> nearDuplicate;
  final Setting<Integer> maxNearDuplicates;
  final Setting<Double> crossLinkFrom;
  final Setting<Integer> maxCrossLinks;
  final Setting<Double> misfiledMargin;
  final Setting<Integer> maxMisfiled;

  SettingCatalog(Locations locations) {
    Path home = locations.home();
    kb =
        Setting.path("kb", "", home, "The knowledge base. Not set: the usual places are searched.");
    threads =
        Setting.integer(
            "threads", 0, 0, 256, "Threads for embedding and comparing. 0: one per core.");
    cache =
        Setting.path(
            "cache",
            locations.defaultCache().toString(),
            home,
            "What can be made again: unpacked models, natives, verdicts on providers.");
    models =
        Setting.path(
            "embed.models",
            "~/.helix/models",
            home,
            "Searched for model.onnx, without which the bundled model is used, and for a language"
                + " model.");
    provider =
        Setting.choice("embed.provider", ExecutionProvider.AUTO, "Where the embedding model runs.");
    precision =
        Setting.choice("embed.precision", Precision.FP32, "Of the embedding model's weights.");
    maxTokens =
        Setting.integer(
            "embed.max_tokens", 256, 8, 512, "A longer text is cut there before it is embedded.");
    llmModel =
        Setting.path(
            "llm.model",
            "",
            home,
            "The language model, a GGUF file. Not set: the first .gguf in embed.models.");
    llmSeconds =
        Setting.integer(
            "llm.seconds",
            600,
            0,
            86_400,
            "How long a run may ask the language model; the next run goes on. 0: do not ask.");
    llmEntryTokens =
        Setting.integer(
            "llm.entry_tokens",
            384,
            32,
            2048,
            "A longer entry is cut at a sentence before the language model reads it.");
    topicOverlap =
        Setting.cosine(
            "insight.topic_overlap",
            0.60,
            -1,
            "Topics whose centroids are closer than this overlap.");
    nearDuplicate =
        Setting.cosine(
            "insight.near_duplicate", 0.92, -1, "Pairs closer than this are near-duplicates.");
    maxNearDuplicates =
        Setting.integer(
            "insight.max_near_duplicates", 20, 0, 10_000, "Near-duplicates shown, the best first.");
    crossLinkFrom =
        Setting.cosine(
            "insight.cross_link_from",
            0.75,
            -1,
            "Pairs of different topics at least this close, and no near-duplicates, are"
                + " cross-links.");
    maxCrossLinks =
        Setting.integer(
            "insight.max_cross_links", 50, 0, 10_000, "Cross-links shown, the best first.");
    misfiledMargin =
        Setting.cosine(
            "insight.misfiled_margin",
            0.15,
            0,
            "How much nearer another topic must be before an entry counts as misfiled.");
    maxMisfiled =
        Setting.integer(
            "insight.max_misfiled", 20, 0, 10_000, "Misfiled entries shown, the clearest first.");
  }

  List<Setting<?>> all() {
    return List.of(
        kb,
        threads,
        cache,
        models,
        provider,
        precision,
        maxTokens,
        llmModel,
        llmSeconds,
        llmEntryTokens,
        topicOverlap,
        nearDuplicate,
        maxNearDuplicates,
        crossLinkFrom,
        maxCrossLinks,
        misfiledMargin,
        maxMisfiled);
  }
}
