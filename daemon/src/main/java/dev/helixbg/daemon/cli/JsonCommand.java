package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.Json;
import java.util.function.Supplier;

public abstract class JsonCommand extends ConsoleCommand {
  protected boolean json;

  @Override
  void declareShared(Declaration to) {
    to.flag("--json", "Print JSON.", given -> json = given);
  }

  protected final void show(Supplier<? extends JsonNode> value, Runnable text) {
    if (json) {
      Json.print(console.json(), value.get());
    } else {
      text.run();
    }
  }
}
