/** Buffers in ordinary memory, shared by the backends that run on the CPU. */
package dev.helixbg.llm.backend.host;
