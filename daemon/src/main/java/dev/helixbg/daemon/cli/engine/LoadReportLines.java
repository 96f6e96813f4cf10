package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.ModelOpener.LoadReport;
import java.util.Locale;
import java.util.function.Consumer;

/** Formats the time that opening a model took, by phase and by class of tensors. */
final class LoadReportLines {
  private LoadReportLines() {}

  static void print(LoadReport report, Consumer<String> lines) {
    lines.accept(line("loaded in %.0f ms", report.totalNanos() / 1e6));
    for (LoadReport.Phase phase : report.phases()) {
      String beside = phase.beside() ? ", beside the others" : "";
      lines.accept(line("  %-12s %7.1f ms%s", phase.name(), phase.nanos() / 1e6, beside));
    }
    for (LoadReport.ClassLoad load : report.classes()) {
      String kind = Json.word(load.kind());
      lines.accept(
          line("  %-12s %7.1f ms, %,d bytes read", kind, load.nanos() / 1e6, load.bytes()));
    }
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  static ObjectNode toJson(LoadReport report) {
    return Json.object()
        .put("total_ms", report.totalNanos() / 1e6)
        .<ObjectNode>set(
            "phases",
            Json.array(
                report.phases(),
                phase ->
                    Json.object()
                        .put("phase", phase.name())
                        .put("ms", phase.nanos() / 1e6)
                        .put("beside", phase.beside())))
        .set(
            "classes",
            Json.array(
                report.classes(),
                load ->
                    Json.object()
                        .put("class", Json.word(load.kind()))
                        .put("ms", load.nanos() / 1e6)
                        .put("bytes", load.bytes())));
  }
}
