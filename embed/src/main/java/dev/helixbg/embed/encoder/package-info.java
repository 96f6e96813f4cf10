/** The small encoder's forward pass in bytes, by machine code of our own. */
package dev.helixbg.embed.encoder;
