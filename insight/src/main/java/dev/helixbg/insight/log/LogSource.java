package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes at positions, as a file channel gives them; a seam for tests that let a file change. */
interface LogSource {

  /** The size now. */
  long size() throws IOException;

  /**
   * Reads from {@code position} into what is left of {@code into}.
   *
   * @return bytes read, or -1 at or after the end
   */
  int read(ByteBuffer into, long position) throws IOException;
}
