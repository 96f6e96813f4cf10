package dev.helixbg.insight.agents;

import dev.helixbg.config.text.PrintableText;
import java.util.regex.Pattern;

/**
 * A coding agent that answers questions, as it calls itself.
 *
 * @param name letters, digits and a few signs, of {@value #LONGEST} characters at most
 * @param version the same; may be empty
 */
public record AgentClient(String name, String version) {
  private static final int LONGEST = 60;

  /** Characters that are markup in some format of a report. */
  private static final Pattern OTHERS = Pattern.compile("[^\\p{L}\\p{N} ._+-]");

  public AgentClient {
    name = printable(name);
    version = printable(version);
    if (name.isEmpty()) {
      name = "unnamed";
    }
  }

  private static String printable(String text) {
    return OTHERS.matcher(PrintableText.beginning(text, LONGEST)).replaceAll("-").strip();
  }

  /** Both, for people. */
  public String title() {
    return (name + " " + version).strip();
  }
}
