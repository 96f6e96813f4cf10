package dev.helixbg.daemon.tidy;

import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;

/** The body of a screen: the lines between its title line and the line that lists its keys. */
interface Page {
  /** Lines that stay while the others scroll. */
  default List<AttributedString> top(int columns) {
    return List.of();
  }

  /** Lines that scroll. */
  List<AttributedString> body(int columns);

  /**
   * The keys that do something here, each with what it does; the first part of a word is the key.
   */
  Map<String, String> hints();

  /**
   * Reacts to a key.
   *
   * @param key a name such as {@code enter} or {@code esc}, else the character itself
   * @return whether it means something here
   */
  boolean key(String key) throws java.io.IOException, InterruptedException;
}
