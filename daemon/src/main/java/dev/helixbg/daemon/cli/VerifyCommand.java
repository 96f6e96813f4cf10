package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.KbVerification;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import java.io.IOException;

final class VerifyCommand extends JsonCommand {
  private final KbOption kb = KbOption.withArgument();

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Check the log, the vectors and the report. Print what is wrong and what a run would do.");
    to.add(options, kb);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    KbVerification.Result result;
    try (KbStores stores = stores(settings)) {
      result =
          KbVerification.of(
              stores.of(chosen),
              EmbeddingModel.locate(settings).ids(),
              settings.embed().maxTokens());
    }
    show(() -> toJson(chosen, result), () -> print(result));
    return CheckLine.exitCode(result.checks()).number();
  }

  private static ObjectNode toJson(Kb kb, KbVerification.Result result) {
    ObjectNode value = Json.object().put("kb", kb.folder().toString());
    value.set("checks", CheckLine.toJson(result.checks()));
    return value.set("aRunWould", Json.texts(result.aRunWould()));
  }

  private void print(KbVerification.Result result) {
    CheckLine.print(result.checks(), console);
    String work =
        result.aRunWould().isEmpty() ? "change nothing" : String.join(", ", result.aRunWould());
    console.out().println("A run would " + work + ".");
  }
}
