/**
 * A software Metal for machines without one: see docs/software-metal.md. Begin reading at {@link
 * SoftMetal}.
 */
package dev.helixbg.llm.softmetal;
