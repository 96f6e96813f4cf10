/**
 * Forward pass of the embedding model with integer arithmetic, in the project's own machine code.
 */
package dev.helixbg.embed.encoder;
