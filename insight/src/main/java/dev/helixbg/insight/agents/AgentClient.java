package dev.helixbg.insight.agents;

import dev.helixbg.config.text.PrintableText;

/**
 * A coding agent that answers questions, as it calls itself.
 *
 * @param name printable, of {@value #LONGEST} characters at most
 * @param version the same; may be empty
 */
public record AgentClient(String name, String version) {
  private static final int LONGEST = 60;

  public AgentClient {
    name = printable(name);
    version = printable(version);
    if (name.isEmpty()) {
      name = "unnamed";
    }
  }

  private static String printable(String text) {
    return PrintableText.line(PrintableText.wellFormed(PrintableText.beginning(text, LONGEST)))
        .strip();
  }

  /** Both, for people. */
  public String title() {
    return (name + " " + version).strip();
  }
}
