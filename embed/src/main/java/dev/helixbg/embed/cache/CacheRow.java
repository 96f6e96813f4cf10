package dev.helixbg.embed.cache;

/**
 * One vector of the cache.
 *
 * @param offset of its entry in data.log, an unsigned 32-bit number
 * @param key of the text that was embedded
 * @param vector 384 values of unit length
 */
public record CacheRow(long offset, TextKey key, float[] vector) {}
