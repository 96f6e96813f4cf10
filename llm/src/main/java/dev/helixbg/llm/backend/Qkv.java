package dev.helixbg.llm.backend;

/**
 * Queries, keys and values of the rows of a batch, heads side by side in each row.
 *
 * @param q rows × (heads · headSize)
 * @param k rows × (kvHeads · headSize)
 * @param v as {@code k}
 */
public record Qkv(Activations q, Activations k, Activations v) {}
