package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

final class ReasonPage extends Page {
  private static final int LONGEST = 300;

  private final Ink ink;
  private final String about;
  private final StringBuilder reason = new StringBuilder();

  ReasonPage(Ink ink, String about) {
    this.ink = ink;
    this.about = about;
  }

  String reason() {
    return reason.toString().strip();
  }

  @Override
  List<AttributedString> top(int columns) {
    return Ink.lines(ink.warning("Dismiss this finding?"), columns);
  }

  @Override
  List<AttributedString> body(int columns) {
    String effect =
        "\n\n"
            + "The report leaves it out from now on. No note is changed. The key u undoes the"
            + " dismissal.\n";
    List<AttributedString> lines = new ArrayList<>(Ink.lines(ink.text(about + effect), columns));
    lines.addAll(Ink.lines(ink.bold("Reason, if you like: " + reason + "▏"), columns));
    return lines;
  }

  @Override
  boolean key(String key) throws IOException, InterruptedException {
    if (super.key(key)) {
      return true;
    }
    if (key.equals("backspace")) {
      if (!reason.isEmpty()) {
        reason.setLength(reason.offsetByCodePoints(reason.length(), -1));
      }
      return true;
    }
    boolean isOne =
        key.codePointCount(0, key.length()) == 1 && !Character.isISOControl(key.codePointAt(0));
    boolean isPasted = key.startsWith(PASTED);
    if (!isOne && !isPasted || reason.length() >= LONGEST) {
      return false;
    }
    (isPasted ? key.substring(PASTED.length()).replaceAll("\\p{Cc}+", " ") : key)
        .codePoints()
        .takeWhile(_ -> reason.length() < LONGEST)
        .forEach(reason::appendCodePoint);
    return true;
  }
}
