/** Full-size models of random weights, to measure speed without a real model. */
package dev.helixbg.llm.synthetic;
