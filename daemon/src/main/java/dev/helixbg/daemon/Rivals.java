package dev.helixbg.daemon;

import dev.helixbg.embed.bench.Contender;
import java.util.List;

/** Other embedders to measure beside ours; the program itself comes with none. */
interface Rivals {
  Rivals NONE = threads -> List.of();

  /** The first of them is what the vectors of all others are checked against. */
  List<Contender> open(int threads);
}
