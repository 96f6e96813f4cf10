package dev.helixbg.daemon;

import dev.helixbg.daemon.kb.WritableKb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** Log of a small knowledge base in which two entries say the same. */
final class SaidTwice {
  static final String TWICE =
      "The lease of a worker is renewed every ten seconds; after three misses the job goes back.";
  static final String AGAIN =
      "A worker's lease is renewed every ten seconds, after three misses the job goes back.";

  private SaidTwice() {}

  static WritableKb in(Path folder) throws IOException {
    WritableKb kb = new WritableKb(folder, new Random(1));
    kb.append("queue", TWICE);
    kb.append("photos", "Thumbnails are made by libvips in three sizes.");
    kb.append("search", "The index is rebuilt at night, and swapped by a rename.");
    kb.append("queue", AGAIN);
    kb.append("auth", "Sessions end after twelve hours without a request.");
    return kb;
  }
}
