package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Programs that a session starts (helix, an editor), the clipboard, and the trash. Only {@link
 * #working} draws on the screen.
 */
interface Desk {
  Optional<Path> helix();

  Helix startHelix();

  void working(String words);

  void decided();

  void copy(String text);

  /** Waits until the editor ends; returns the error, if any. */
  Optional<String> edit(List<Path> files) throws IOException, InterruptedException;

  Trash trash();
}
