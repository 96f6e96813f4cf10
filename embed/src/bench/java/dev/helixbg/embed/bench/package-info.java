/**
 * Measures the speed of embedding. The vectors of each method are checked before the method is
 * timed.
 */
package dev.helixbg.embed.bench;
