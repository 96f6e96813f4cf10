package dev.helixbg.daemon.kb;

/**
 * State of everything that a report is made from, except the log.
 *
 * @param made one hash of the program, the models and their answers, the settings, the source
 *     folders, and the account of the notes
 * @param decided two counters: one of decisions on findings, one of answers by agents
 */
public record ReportBasis(String made, String decided) {}
