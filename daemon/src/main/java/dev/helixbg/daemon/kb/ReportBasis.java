package dev.helixbg.daemon.kb;

/**
 * State of everything that a report is made from, except the log.
 *
 * @param made hash of the program, the models with their answers, the settings, the source folders
 *     and the account of the notes
 * @param decided two counters: of decisions on findings, and of answers by agents
 */
public record ReportBasis(String made, String decided) {}
