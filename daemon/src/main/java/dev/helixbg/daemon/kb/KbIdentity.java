package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Identity that a KB's folder had when work on the KB began. The results of the work are saved only
 * if the same folder is still at the path. Therefore helix-bg never recreates a KB that was moved
 * or deleted, and never writes results into another KB.
 *
 * @param folder the inode of the folder and its device
 */
public record KbIdentity(Kb kb, Object folder) {
  /**
   * Returns the identity that the KB's folder has now; throws a {@link Failure} without a folder.
   */
  public static KbIdentity of(Kb kb) {
    try {
      return new KbIdentity(
          kb, Files.readAttributes(kb.folder(), BasicFileAttributes.class).fileKey());
    } catch (IOException e) {
      throw kb.gone();
    }
  }

  /**
   * Checks that the path still leads to the same folder, and that the folder has a log. Otherwise
   * throws a {@link Failure}. Must be called before results are written.
   */
  public void check() {
    if (!Files.exists(kb.dataLog()) || !equals(of(kb))) {
      throw kb.gone();
    }
  }
}
