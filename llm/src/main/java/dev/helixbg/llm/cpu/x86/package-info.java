/** Machine code for x86-64, for instructions that the Vector API lacks. */
package dev.helixbg.llm.cpu.x86;
