package dev.helixbg.daemon.cli.flags;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.Json;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** A command that prints its result as text, or with --json as JSON. */
public abstract class JsonCommand extends ConsoleCommand {
  @Option(names = "--json", description = "Print JSON.")
  protected boolean json;

  protected final void show(Supplier<? extends JsonNode> value, Runnable text) {
    if (json) {
      Json.print(console.json(), value.get());
    } else {
      text.run();
    }
  }
}
