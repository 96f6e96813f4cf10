package dev.helixbg.daemon.control;

import java.time.Duration;

/**
 * What a client may ask of the server.
 *
 * @param clients at once
 * @param lineBytes of a request
 * @param idle between two requests
 * @param line from the first byte of a request to its end
 * @param write that a reply may wait for a client that does not read
 */
public record ControlLimits(
    int clients, int lineBytes, Duration idle, Duration line, Duration write) {
  public static final ControlLimits USUAL =
      new ControlLimits(
          256, 1 << 16, Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofSeconds(10));
}
