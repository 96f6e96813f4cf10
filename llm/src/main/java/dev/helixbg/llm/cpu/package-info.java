/** The CPU backend. It computes a layer's steps with the Java Vector API, on several threads. */
package dev.helixbg.llm.cpu;
