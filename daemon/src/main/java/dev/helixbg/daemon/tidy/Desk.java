package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Everything outside the screen that a session uses. */
interface Desk {
  /** Returns the program helix; empty if it does not exist. */
  Optional<Path> helix();

  /**
   * Starts helix.
   *
   * @throws dev.helixbg.daemon.terminal.Failure when the program is not helix or does not answer
   */
  Helix startHelix();

  /** Shows that a longer operation runs. */
  void working(String words);

  /** Reports a decision or an act to the daemon. */
  void decided();

  /** Copies a text to the clipboard, if the terminal supports that. */
  void copy(String text);

  /**
   * Opens files in the user's editor and waits until the editor ends.
   *
   * @return the error; empty without an error
   */
  Optional<String> edit(List<Path> files) throws IOException, InterruptedException;

  /** Returns the trash, from which a user can restore files. */
  Trash trash();
}
