/** Measures how fast texts become vectors; each result is checked before it is timed. */
package dev.helixbg.embed.bench;
