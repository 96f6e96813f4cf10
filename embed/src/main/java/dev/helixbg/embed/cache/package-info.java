/** The vectors of a knowledge base on disk: embeddings.bin and its sidecar embeddings.keys. */
package dev.helixbg.embed.cache;
