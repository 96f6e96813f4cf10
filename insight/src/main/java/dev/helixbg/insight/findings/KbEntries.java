package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * The live entries of a KB that have a vector. After a run, all live entries have a vector.
 *
 * @param named entries that have a vector, ordered by offset
 * @param passages passages of the entries that have a vector
 * @param coverage number of entries whose whole text has vectors
 * @param way id of the method that computed the entries' vectors
 */
public record KbEntries(
    List<NamedEntry> named,
    Vectors vectors,
    PassageVectors passages,
    LogAccount log,
    Coverage coverage,
    String way) {}
