package dev.helixbg.daemon.kb;

/**
 * Hashes of everything that a report is made from, except the log.
 *
 * @param made hash of the program, the models with their answers, the settings, the source folders
 *     and the account of the notes
 * @param decided versions of the decisions on findings and of the agents' answers
 */
public record ReportBasis(String made, String decided) {}
