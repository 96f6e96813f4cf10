package dev.helixbg.insight.log;

import java.util.List;

/**
 * One reading of a data.log: what is live in it, and what the reading met.
 *
 * @param entries live ones, by offset
 * @param account of every byte
 */
public record LogReading(List<Entry> entries, LogAccount account) {}
