package dev.helixbg.daemon.cli;

import java.nio.file.Path;
import picocli.CommandLine.Model.PositionalParamSpec;

public final class KbArgument extends KbOption {
  private Path folder;

  @Override
  public void declare(Declaration to) {
    super.declare(to);
    to.add(
        PositionalParamSpec.builder()
            .arity("0..1")
            .paramLabel("kb")
            .description(
                "Folder of the knowledge base. Default: the",
                "setting kb or $HELIX_KB, else the first of",
                "~/.helix-kb, ~/.helix and ~/.local/share/helix."),
        Path.class,
        given -> folder = given);
  }

  @Override
  Path argument() {
    return folder;
  }
}
