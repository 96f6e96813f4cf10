/** Measures the speed of a model on this machine, compared with the limit that memory sets. */
package dev.helixbg.llm.bench;
