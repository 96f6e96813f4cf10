/** The Qwen3 architecture: its dimensions, its weights, its forward pass. Names no device. */
package dev.helixbg.llm.model;
