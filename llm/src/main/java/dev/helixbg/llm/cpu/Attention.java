package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import java.lang.foreign.Arena;

/**
 * Causal grouped attention over the caches of a batch, shared out by KV head and span.
 *
 * <p>A member does a head's spans one after the other, so that it unpacks what they share once.
 * Short spans go row by row, longer ones by matrix products. Which way a span goes depends on its
 * own length only.
 */
final class Attention implements Team.Work {
  /** From here on a panel costs less than its rows. */
  private static final int PANEL_FROM = 6;

  private final PromptAttention[] prompts;
  private final TokenAttention[] tokens;
  private Batch batch;
  private HostActivations q;
  private HostActivations target;
  private int layer;

  /** Memory is taken from the arena, as caches grow. */
  Attention(Arena arena, Scratch[] scratch) {
    prompts = new PromptAttention[scratch.length];
    tokens = new TokenAttention[scratch.length];
    for (int member = 0; member < scratch.length; member++) {
      prompts[member] = new PromptAttention(arena, scratch[member]);
      tokens[member] = new TokenAttention(scratch[member]);
    }
  }

  /** Sets what the next {@link #run} works on. */
  void of(Batch batch, HostActivations q, int layer, HostActivations target) {
    this.batch = batch;
    this.q = q;
    this.layer = layer;
    this.target = target;
  }

  @Override
  public void run(int member, int members) {
    int spans = batch.spans();
    if (spans == 0) {
      return;
    }
    prompts[member].begin();
    // All caches of a batch have the shape of its model.
    int units = batch.cache(0).shape().kvHeads() * spans;
    int end = (int) ((long) units * (member + 1) / members);
    for (int unit = (int) ((long) units * member / members); unit < end; unit++) {
      attend(member, unit % spans, unit / spans);
    }
  }

  private void attend(int member, int span, int kvHead) {
    int count = batch.count(span);
    if (count >= PANEL_FROM) {
      prompts[member].attend(batch, span, layer, kvHead, q, target);
      return;
    }
    HostKvCache cache = (HostKvCache) batch.cache(span);
    for (int i = 0; i < count; i++) {
      int positions = batch.start(span) + i + 1;
      int row = batch.firstRow(span) + i;
      tokens[member].attend(cache, layer, kvHead, positions, row, q, target);
    }
  }
}
