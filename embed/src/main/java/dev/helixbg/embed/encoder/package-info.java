/**
 * Forward pass of the embedding model in integer arithmetic, computed by the project's own machine
 * code.
 */
package dev.helixbg.embed.encoder;
