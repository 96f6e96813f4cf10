package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The programs and places that a tidy session uses: helix, the editor, the clipboard, the trash,
 * the daemon. Only {@link #working} draws on the screen.
 */
interface Desk {
  Optional<Path> helix();

  Helix startHelix();

  /** Shows that a long operation is running. */
  void working(String words);

  /** Reports a decision or an act to the daemon. */
  void decided();

  /** Copies a text to the clipboard, if the terminal supports that. */
  void copy(String text);

  /**
   * Opens files in the user's editor, and waits until the editor ends. Returns the error, if any.
   */
  Optional<String> edit(List<Path> files) throws IOException, InterruptedException;

  Trash trash();
}
