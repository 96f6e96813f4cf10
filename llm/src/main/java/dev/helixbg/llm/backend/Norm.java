package dev.helixbg.llm.backend;

/**
 * A root-mean-square normalisation.
 *
 * @param gain one row of 32-bit floats
 * @param epsilon added to the mean square
 */
public record Norm(Matrix gain, float epsilon) {}
