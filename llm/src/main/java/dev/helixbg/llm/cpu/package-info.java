/** The CPU backend: the steps of a layer on the Java Vector API, by a team of threads. */
package dev.helixbg.llm.cpu;
