/** Machine code for x86-64, where processors have instructions that the Vector API lacks. */
package dev.helixbg.llm.cpu.x86;
