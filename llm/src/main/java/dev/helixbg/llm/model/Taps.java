package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Activations;

/** Is shown the activations of a pass, step by step; for tests and for looking inside. */
@FunctionalInterface
public interface Taps {
  /** Looks at nothing, and costs nothing. */
  Taps NONE = (tap, layer, values) -> {};

  /** A place in the block diagram. */
  enum Tap {
    /** The embedded tokens; layer 0. */
    EMBEDDING,
    QUERIES,
    KEYS,
    VALUES,
    /** Queries after their norm and rotation. */
    ROTATED_QUERIES,
    /** What each head gathered. */
    ATTENDED,
    /** The residual stream after attention. */
    ATTENTION_OUTPUT,
    /** silu(gate) ⊙ up. */
    GATED,
    /** The residual stream after the layer. */
    LAYER_OUTPUT,
    /** Of the wanted rows; layer 0. */
    LOGITS
  }

  /** {@code values} may be read until the call returns. */
  void at(Tap tap, int layer, Activations values);
}
