/** Forward pass of the embedding model in integer arithmetic, by the project's own machine code. */
package dev.helixbg.embed.encoder;
