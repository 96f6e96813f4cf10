/** Full-size models of random weights, for measuring speed where no real model is at hand. */
package dev.helixbg.llm.synthetic;
