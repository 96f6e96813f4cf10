package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Everything outside the screen that a session uses. */
interface Desk {
  /** The program helix; empty where there is none. */
  Optional<Path> helix();

  /**
   * Starts it.
   *
   * @throws dev.helixbg.daemon.terminal.Failure when it is another program, or does not answer
   */
  Helix startHelix();

  /** Shows that something is under way that takes a moment. */
  void working(String words);

  /** Something was decided, or carried out. */
  void decided();

  /** Puts a text where the desktop pastes from, as far as the terminal does that. */
  void copy(String text);

  /**
   * Has the user edit files, until their editor ends.
   *
   * @return what is wrong; empty where nothing is
   */
  Optional<String> edit(List<Path> files) throws IOException, InterruptedException;

  /** The trash for files that a user may want back. */
  Trash trash();
}
