package dev.helixbg.daemon.control;

import java.io.IOException;

/** What the other end says, or fails to say. */
public final class ControlException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int code;

  public ControlException(int code, String message) {
    super(message);
    this.code = code;
  }

  /** Exit code for the user's shell. */
  public int code() {
    return code;
  }
}
