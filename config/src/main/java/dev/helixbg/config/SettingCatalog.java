package dev.helixbg.config;

import dev.helixbg.config.DaemonSettings.LogFormat;
import dev.helixbg.config.DaemonSettings.LogLevel;
import dev.helixbg.config.DaemonSettings.Notify;
import dev.helixbg.config.DaemonSettings.Switch;
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
  final Setting<LlmBackend> llmBackend;
  final Setting<Double> topicOverlap;
  final Setting<Double> nearDuplicate;
  final Setting<Integer> maxNearDuplicates;
  final Setting<Double> crossLinkFrom;
  final Setting<Integer> maxCrossLinks;
  final Setting<Double> misfiledMargin;
  final Setting<Integer> maxMisfiled;
  final Setting<Double> poll;
  final Setting<Double> unwatchedPoll;
  final Setting<Double> quiet;
  final Setting<Integer> embedderIdle;
  final Setting<Switch> across;
  final Setting<Notify> notify;
  final Setting<Integer> modelIdle;
  final Setting<Double> modelQuiet;
  final Setting<Double> modelMaxLoad;
  final Setting<Switch> modelOnBattery;
  final Setting<Integer> modelThreads;
  final Setting<Double> sessionGap;
  final Setting<Integer> sessionEntries;
  final Setting<Double> drift;
  final Setting<Double> stale;
  final Setting<LogLevel> logLevel;
  final Setting<LogFormat> logFormat;

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
    llmBackend =
        Setting.choice(
            "llm.backend",
            LlmBackend.AUTO,
            "Where the language model runs: a Mac's GPU or the CPU.");
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
    poll =
        Setting.number(
            "daemon.poll_seconds", 30, 0.05, 3600, "Between two looks at a log that rests.");
    unwatchedPoll =
        Setting.number(
            "daemon.unwatched_poll_seconds",
            2,
            0.05,
            3600,
            "The same where the system does not tell of changes, such as on macOS.");
    quiet =
        Setting.number(
            "daemon.quiet_seconds",
            2,
            0,
            600,
            "How long a log must not have changed before it is read.");
    embedderIdle =
        Setting.integer(
            "daemon.embedder_idle_minutes",
            10,
            -1,
            1440,
            "The embedding model is unloaded after so long without work. 0: at once, -1: never.");
    across =
        Setting.choice(
            "daemon.across",
            Switch.OFF,
            "Whether findings across knowledge bases get a report of their own.");
    notify =
        Setting.choice(
            "daemon.notify",
            Notify.OFF,
            "Whether the desktop tells of new findings, at most once a day: how many, and where.");
    modelIdle =
        Setting.integer(
            "daemon.model_idle_minutes",
            5,
            -1,
            1440,
            "The language model is unloaded after so long without work. 0: at once, -1: never.");
    modelQuiet =
        Setting.number(
            "daemon.model_quiet_minutes",
            2,
            0,
            1440,
            "How long the knowledge base must have been quiet before the language model runs.");
    modelMaxLoad =
        Setting.number(
            "daemon.model_max_load",
            0.5,
            0,
            1000,
            "Idle work runs while the load per core is at most this.");
    modelOnBattery =
        Setting.choice(
            "daemon.model_on_battery",
            Switch.OFF,
            "Whether idle work, reviews and language model, runs on battery.");
    modelThreads =
        Setting.integer(
            "daemon.model_threads",
            0,
            0,
            256,
            "Threads of the language model at idle. 0: half of threads.");
    sessionGap =
        Setting.number(
            "daemon.session_gap_minutes",
            20,
            0,
            1440,
            "A session is over when nothing was written for so long.");
    sessionEntries =
        Setting.integer(
            "daemon.session_entries",
            3,
            1,
            100_000,
            "New entries that make a session worth a synthesis.");
    drift = Setting.number("daemon.drift_hours", 1, 0.001, 8760, "Between two looks for drift.");
    stale =
        Setting.number(
            "daemon.stale_hours", 6, 0.001, 8760, "Between two looks for stale entries.");
    logLevel = Setting.choice("daemon.log_level", LogLevel.INFO, "How much the daemon logs.");
    logFormat =
        Setting.choice("daemon.log_format", LogFormat.HUMAN, "Of the lines in the log file.");
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
        llmBackend,
        topicOverlap,
        nearDuplicate,
        maxNearDuplicates,
        crossLinkFrom,
        maxCrossLinks,
        misfiledMargin,
        maxMisfiled,
        poll,
        unwatchedPoll,
        quiet,
        embedderIdle,
        across,
        notify,
        modelIdle,
        modelQuiet,
        modelMaxLoad,
        modelOnBattery,
        modelThreads,
        sessionGap,
        sessionEntries,
        drift,
        stale,
        logLevel,
        logFormat);
  }
}
