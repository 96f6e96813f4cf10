package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of kernels, by kernel, library and grid. */
class KernelProfileTest {
  @Test
  void timesAreOfOneKernelInOneShape() {
    KernelProfile profile = new KernelProfile();
    for (int i = 1; i <= 200; i++) {
      profile.add("matvec", "Q4_K", "1x64x1 of 128", i * 1e-6);
    }
    profile.add("matvec", "Q6_K", "1x64x1 of 128", 5e-6);
    profile.add("matvec", "Q4_K", "1x32x1 of 128", 7e-6);
    List<KernelProfile.Entry> entries = profile.entries();
    assertEquals(3, entries.size());
    KernelProfile.Entry slowest = entries.getFirst();
    assertEquals(200, slowest.times());
    assertEquals(200 * 201 / 2 * 1e-6, slowest.seconds(), 1e-9);
    assertEquals(1e-6, slowest.fastest(), 1e-12);
    assertEquals(7e-6, entries.get(1).fastest(), 1e-12);
    profile.clear();
    assertEquals(List.of(), profile.entries());
  }
}
