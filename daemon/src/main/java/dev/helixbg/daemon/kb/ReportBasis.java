package dev.helixbg.daemon.kb;

/**
 * State of everything that a report is made from, except the log.
 *
 * @param made hash of program, models, their answers, settings, sources and the notes' account
 * @param decided counters of decisions and of agents' answers
 */
public record ReportBasis(String made, String decided) {}
