package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;

/** Asks why a finding is dismissed, which may be left out. */
final class ReasonPage implements Page {
  private static final int LONGEST = 300;

  private final Ink ink;
  private final String about;
  private final Answer answer;
  private final TextPage.Action back;
  private final StringBuilder reason = new StringBuilder();

  /** Receives the reason. */
  interface Answer {
    void with(String reason) throws IOException, InterruptedException;
  }

  ReasonPage(Ink ink, String about, Answer answer, TextPage.Action back) {
    this.ink = ink;
    this.about = about;
    this.answer = answer;
    this.back = back;
  }

  @Override
  public List<AttributedString> top(int columns) {
    return Ink.lines(ink.warning("Dismiss this finding?"), columns);
  }

  @Override
  public List<AttributedString> body(int columns) {
    List<AttributedString> lines =
        new ArrayList<>(
            Ink.lines(
                ink.text(
                    about
                        + "\n\n"
                        + "The report leaves it out from now on. No note is changed, and u takes it"
                        + " back.\n"),
                columns));
    lines.addAll(Ink.lines(ink.bold("Reason, if you like: " + reason + "▏"), columns));
    return lines;
  }

  @Override
  public Map<String, String> hints() {
    Map<String, String> hints = new LinkedHashMap<>();
    hints.put("Enter", "dismiss");
    hints.put("Esc", "back");
    return hints;
  }

  @Override
  public boolean key(String key) throws IOException, InterruptedException {
    switch (key) {
      case "enter" -> answer.with(reason.toString().strip());
      case "esc" -> back.run();
      case "backspace" -> {
        if (!reason.isEmpty()) {
          reason.setLength(reason.offsetByCodePoints(reason.length(), -1));
        }
      }
      default -> {
        if (key.codePointCount(0, key.length()) != 1
            || Character.isISOControl(key.codePointAt(0))
            || reason.length() >= LONGEST) {
          return false;
        }
        reason.append(key);
      }
    }
    return true;
  }
}
