package dev.helixbg.daemon.kb;

/**
 * Everything but the log that a report is made from, by hash.
 *
 * @param made the program, models with their answers, and settings
 * @param decided what was decided about findings, and what agents said of them
 */
public record ReportBasis(String made, String decided) {}
