package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Names the knowledge base of commands whose arguments are something else. */
public final class KbOption {
  @Option(
      names = "--kb",
      paramLabel = "FOLDER",
      description = "Folder of the knowledge base. Default: the one that one-shot would take.")
  private Path kb;

  /** The knowledge base that is named, else the one that {@code one-shot} would take. */
  public Kb find(Settings settings) {
    return Kb.find(Optional.ofNullable(kb), settings, GlobalOptions.locations());
  }
}
