package dev.helixbg.daemon.kb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Identity of a KB's folder (inode and device) when work on it began. Results are saved only into
 * the same folder, so that helix-bg never recreates a KB that was moved, and never writes into
 * another KB.
 */
public record KbIdentity(Kb kb, Object folder) {
  public static KbIdentity of(Kb kb) {
    try {
      return new KbIdentity(
          kb, Files.readAttributes(kb.folder(), BasicFileAttributes.class).fileKey());
    } catch (IOException e) {
      throw kb.gone();
    }
  }

  /**
   * Fails unless the path still leads to the same folder with a log. Must be called before results
   * are written.
   */
  public void check() {
    if (!Files.exists(kb.dataLog()) || !equals(of(kb))) {
      throw kb.gone();
    }
  }
}
