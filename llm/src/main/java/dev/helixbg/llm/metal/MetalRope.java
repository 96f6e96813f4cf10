package dev.helixbg.llm.metal;

import dev.helixbg.llm.backend.Rope;
import dev.helixbg.llm.metal.shim.MetalBuffer;
import dev.helixbg.llm.metal.shim.MetalDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/**
 * Rotation angles of all positions, written once: per position the cosines of all pairs, then their
 * sines.
 */
record MetalRope(MetalBuffer buffer, int positions) implements Rope {

  static MetalRope make(MetalDevice device, Arena arena, int headSize, double base, int positions) {
    int pairs = headSize / 2;
    MetalBuffer buffer = device.buffer(arena, "rope", 4L * headSize * positions);
    double[] turns = new double[pairs];
    for (int pair = 0; pair < pairs; pair++) {
      turns[pair] = Math.pow(base, -pair / (double) pairs);
    }
    for (int position = 0; position < positions; position++) {
      long row = (long) position * headSize;
      for (int pair = 0; pair < pairs; pair++) {
        double angle = position * turns[pair];
        buffer.data().setAtIndex(ValueLayout.JAVA_FLOAT, row + pair, (float) Math.cos(angle));
        buffer
            .data()
            .setAtIndex(ValueLayout.JAVA_FLOAT, row + pairs + pair, (float) Math.sin(angle));
      }
    }
    return new MetalRope(buffer, positions);
  }
}
