/** Forward pass of the embedding model in integers, by the project's own machine code. */
package dev.helixbg.embed.encoder;
