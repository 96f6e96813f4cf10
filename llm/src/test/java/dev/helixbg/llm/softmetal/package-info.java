/**
 * A software implementation of Apple's Metal, for machines without Metal; see
 * docs/software-metal.md. Its main class is {@link SoftMetal}.
 */
package dev.helixbg.llm.softmetal;
