package dev.helixbg.config;

/**
 * What is worth telling: the settings {@code insight.*}, explained in {@link SettingCatalog}. All
 * similarities are cosines, −1 to 1.
 */
public record InsightSettings(
    double topicOverlap,
    double nearDuplicate,
    int maxNearDuplicates,
    double crossLinkFrom,
    int maxCrossLinks,
    double misfiledMargin,
    int maxMisfiled,
    boolean junk) {}
