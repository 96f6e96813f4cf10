package dev.helixbg.daemon.kb;

/**
 * State of everything that a report is made from, except the log.
 *
 * @param made hash of the program's version, the models, their answers, the settings {@code llm.*},
 *     the sources, and the account of the notes that were read
 * @param decided two numbers that grow with each decision and with each answer of an agent
 */
public record ReportBasis(String made, String decided) {}
