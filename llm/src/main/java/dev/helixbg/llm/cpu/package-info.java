/** The CPU backend: the steps of a layer in the Java Vector API, on several threads. */
package dev.helixbg.llm.cpu;
