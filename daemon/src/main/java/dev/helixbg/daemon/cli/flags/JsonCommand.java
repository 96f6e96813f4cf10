package dev.helixbg.daemon.cli.flags;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** A command that prints what it found: for people, or with --json for programs. */
public abstract class JsonCommand extends ConsoleCommand {
  @Option(names = "--json", description = "Print JSON.")
  protected boolean json;

  /** Prints the result as JSON if that was asked for, else as text. */
  protected final void show(Supplier<? extends JsonNode> value, Runnable text) throws IOException {
    if (json) {
      Json.print(console.json(), value.get());
    } else {
      text.run();
    }
  }
}
