package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Names the knowledge base of commands whose arguments are something else. */
final class KbOption {
  @Option(
      names = "--kb",
      paramLabel = "FOLDER",
      description = "Folder of the knowledge base. Default: the one that one-shot would take.")
  private Path kb;

  Kb find(Settings settings) {
    return Kb.find(Optional.ofNullable(kb), settings, GlobalOptions.locations());
  }
}
