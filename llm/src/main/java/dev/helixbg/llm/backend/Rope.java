package dev.helixbg.llm.backend;

/** Rotation angles by position and pair, as their backend keeps them. */
public interface Rope {}
