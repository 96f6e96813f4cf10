package dev.helixbg.daemon.cli.flags;

import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** Argument and options that name the knowledge base, for commands that have no other arguments. */
public final class KbArgument extends KbOption {
  @Parameters(
      arity = "0..1",
      paramLabel = "kb",
      description = {
        "Folder of the knowledge base. Default: the",
        "setting kb or $HELIX_KB, else the first of",
        "~/.helix-kb, ~/.helix and ~/.local/share/helix."
      })
  private Path folder;

  @Override
  Path argument() {
    return folder;
  }
}
