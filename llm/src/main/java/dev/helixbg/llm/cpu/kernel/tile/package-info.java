/** Products of many rows of activations, in tiles, with panels of unpacked weights. */
package dev.helixbg.llm.cpu.kernel.tile;
