package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The folder that a KB was when work on it began. What is at its path when the work is to be saved
 * may be nothing, or another folder: a KB that was moved or deleted is never made anew, and no
 * other gets what is about this one.
 *
 * @param folder the inode of the folder with its device
 */
public record KbIdentity(Kb kb, Object folder) {

  /**
   * @throws Failure with {@link ExitCode#KB} when there is no KB
   */
  public static KbIdentity of(Kb kb) {
    try {
      Object folder = Files.readAttributes(kb.folder(), BasicFileAttributes.class).fileKey();
      return new KbIdentity(kb, folder);
    } catch (IOException e) {
      throw kb.gone();
    }
  }

  /**
   * Call before anything is written.
   *
   * @throws Failure with {@link ExitCode#KB} when it is not the same KB, or holds no log any more
   */
  public void check() {
    if (!Files.exists(kb.dataLog()) || !equals(of(kb))) {
      throw kb.gone();
    }
  }
}
