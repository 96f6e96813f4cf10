package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.RelatedBench;
import dev.helixbg.insight.findings.RelatedBench.Answered;
import dev.helixbg.insight.search.AlreadySaid.Answer;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Measures what {@code related} answers to notes with a changed fact, and to rewritten notes. */
final class BenchRelatedCommand extends JsonCommand {
  private Precision precision = Precision.AUTO;
  private String threads;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure what 'related' answers to notes with one changed fact, and to notes in another"
            + " form. It must never answer that a note with a changed fact is already said. JSON"
            + " has a line for each text.");
    to.add(options);
    to.option(
        "--precision=PRECISION",
        "Precision of the embedding model's weights: ${COMPLETION-CANDIDATES} (default: auto).",
        Precision.class,
        given -> precision = given);
    to.option("--threads=N", "Number of threads; 0 means one per core.", given -> threads = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    Settings settings = options.settings(threads);
    List<Answered> answers = RelatedBench.run(settings.cache(), settings.threads(), precision);
    if (json) {
      answers.forEach(answer -> console.json().println(toJson(answer)));
    } else {
      print(answers);
    }
  }

  private void print(List<Answered> answers) {
    answers.stream()
        .collect(
            Collectors.groupingBy(BenchRelatedCommand::group, TreeMap::new, Collectors.toList()))
        .forEach(
            (group, some) ->
                console.say(
                    "%-36s %4d asked, yes %4d (%d name the right note), contradicts %3d, perhaps"
                        + " %3d, no %3d",
                    group,
                    some.size(),
                    count(some, Answer.YES),
                    some.stream()
                        .filter(one -> one.said().answer() == Answer.YES && one.ofTheRightOne())
                        .count(),
                    count(some, Answer.CONTRADICTS),
                    count(some, Answer.PERHAPS),
                    count(some, Answer.NO)));
  }

  private static String group(Answered answer) {
    return (answer.asked().edit() ? "edit: " : "rewrite: ") + answer.asked().what();
  }

  private static long count(List<Answered> answers, Answer answer) {
    return answers.stream().filter(one -> one.said().answer() == answer).count();
  }

  private static ObjectNode toJson(Answered answer) {
    ObjectNode json =
        Json.object()
            .put("what", group(answer))
            .put("language", answer.asked().language())
            .put("text", answer.asked().text())
            .put("answer", Json.word(answer.said().answer()))
            .put("ofTheRightOne", answer.ofTheRightOne());
    answer.said().entry().ifPresent(entry -> json.put("entry", entry));
    answer.said().probability().ifPresent(p -> json.put("probability", Json.sixDecimals(p)));
    answer.said().differs().ifPresent(what -> json.put("differs", what));
    return json;
  }
}
