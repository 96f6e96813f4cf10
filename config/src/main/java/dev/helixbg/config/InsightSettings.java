package dev.helixbg.config;

/**
 * What is worth telling. All similarities are cosines, −1 to 1.
 *
 * @param topicOverlap topics whose centroids are closer than this overlap
 * @param nearDuplicate pairs closer than this are near-duplicates
 * @param maxNearDuplicates how many of them the report shows, the best first
 * @param crossLinkFrom pairs of different topics at least this close, and not near-duplicates, are
 *     cross-links
 * @param maxCrossLinks how many of them the report shows, the best first
 * @param misfiledMargin how much nearer another topic must be before an entry counts as misfiled
 * @param maxMisfiled how many of them the report shows, the clearest first
 */
public record InsightSettings(
    double topicOverlap,
    double nearDuplicate,
    int maxNearDuplicates,
    double crossLinkFrom,
    int maxCrossLinks,
    double misfiledMargin,
    int maxMisfiled) {}
