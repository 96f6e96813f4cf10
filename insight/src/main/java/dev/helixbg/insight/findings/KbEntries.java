package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * The live entries of a KB that have a vector: all of them, once a run has ended.
 *
 * @param named those that have a vector, by offset
 * @param vectors of the entries
 * @param passages of the entries, those that have a vector
 * @param log they were read from
 * @param coverage how many of all entries have vectors for all of their text
 * @param way id of the entries' vectors
 */
public record KbEntries(
    List<NamedEntry> named,
    Vectors vectors,
    PassageVectors passages,
    LogAccount log,
    Coverage coverage,
    String way) {}
