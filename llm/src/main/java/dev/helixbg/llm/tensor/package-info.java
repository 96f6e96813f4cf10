/**
 * How tensors lie in memory: element types, their block layouts, and the exact values they stand
 * for.
 */
package dev.helixbg.llm.tensor;
