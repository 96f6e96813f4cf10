package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * The live entries of a KB that have a vector, ordered by offset. After a complete run of helix-bg,
 * all live entries have a vector. {@code way} is the id of the method that computed their vectors.
 */
public record KbEntries(
    List<NamedEntry> named,
    Vectors vectors,
    PassageVectors passages,
    LogAccount log,
    Coverage coverage,
    String way) {}
