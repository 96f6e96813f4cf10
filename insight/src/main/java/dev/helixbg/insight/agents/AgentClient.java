package dev.helixbg.insight.agents;

import dev.helixbg.config.text.PrintableText;
import java.util.regex.Pattern;

/**
 * A coding agent that answers questions, under the name that it gives itself.
 *
 * @param name at most {@value #LONGEST} letters, digits and certain signs
 * @param version version, in the same form as the name; may be empty
 */
public record AgentClient(String name, String version) {
  private static final int LONGEST = 60;

  /** Characters that a name must not contain, because they could be markup in a report. */
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

  public String title() {
    return (name + " " + version).strip();
  }
}
