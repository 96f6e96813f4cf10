/**
 * The CPU backend. It computes the steps of a layer with the Java Vector API, on several threads.
 */
package dev.helixbg.llm.cpu;
