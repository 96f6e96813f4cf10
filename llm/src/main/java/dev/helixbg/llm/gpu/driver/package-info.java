/**
 * What a GPU's driver offers to the engine, and all that a new one has to fill: {@code GpuDevice}
 * is where to begin.
 */
package dev.helixbg.llm.gpu.driver;
