/**
 * Texts to vectors: all-MiniLM-L6-v2 through ONNX Runtime, and the embeddings.bin cache. Knows
 * strings and keys, not entries.
 */
package dev.helixbg.embed;
