package dev.helixbg.daemon.tidy;

import java.util.List;
import java.util.stream.Stream;
import org.jline.utils.AttributedString;

final class TextPage extends Page {
  private final AttributedString heading;
  private final List<AttributedString> text;

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
    return text.stream().flatMap(part -> Ink.lines(part, columns).stream()).toList();
  }

  List<String> plain() {
    return Stream.concat(Stream.of(heading), text.stream())
        .map(AttributedString::toString)
        .toList();
  }
}
