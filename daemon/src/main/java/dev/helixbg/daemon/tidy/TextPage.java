package dev.helixbg.daemon.tidy;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/** A text to read. */
final class TextPage extends Page {
  private final AttributedString heading;
  private final List<AttributedString> text;

  /**
   * @param heading in one line
   * @param text of paragraphs, each broken into lines as the screen is wide
   */
  TextPage(AttributedString heading, List<AttributedString> text) {
    this.heading = heading;
    this.text = List.copyOf(text);
  }

  @Override
  List<AttributedString> top(int columns) {
    return Ink.lines(heading, columns);
  }

  @Override
  List<AttributedString> body(int columns) {
    List<AttributedString> lines = new ArrayList<>();
    text.forEach(part -> lines.addAll(Ink.lines(part, columns)));
    return lines;
  }

  /** All of it as plain text. */
  List<String> plain() {
    List<String> plain = new ArrayList<>(List.of(heading.toString()));
    text.forEach(part -> plain.add(part.toString()));
    return plain;
  }
}
