/** The reference backend: every step spelled out in elementary operations. */
package dev.helixbg.llm.backend.scalar;
