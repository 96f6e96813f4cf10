package dev.helixbg.daemon.kb;

/**
 * State of everything that a report is made from, except the log.
 *
 * @param made hash of the program, the models with their answers, the settings, the source folders
 *     and the account of the notes
 * @param decided numbers that grow with each decision on a finding and each answer of an agent
 */
public record ReportBasis(String made, String decided) {}
