package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jline.utils.AttributedString;

abstract class Page {
  /** Beginning of the name under which a page gets a paste as a key; the pasted text follows it. */
  static final String PASTED = "paste:";

  private final Map<String, String> hints = new LinkedHashMap<>();
  private final Map<String, Action> actions = new HashMap<>();

  interface Action {
    void run() throws IOException, InterruptedException;
  }

  /** Returns the lines that do not scroll. */
  abstract List<AttributedString> top(int columns);

  /** Returns the lines that scroll. */
  abstract List<AttributedString> body(int columns);

  /**
   * Adds a key, such as {@code enter}, {@code esc} or a character. The screen lists the key unless
   * {@code words} is empty.
   */
  Page on(String key, String words, Action action) {
    actions.put(key, action);
    if (!words.isEmpty()) {
      boolean isNamed = key.length() > 1;
      hints.put(
          isNamed ? key.substring(0, 1).toUpperCase(Locale.ROOT) + key.substring(1) : key, words);
    }
    return this;
  }

  Map<String, String> hints() {
    return hints;
  }

  boolean key(String key) throws IOException, InterruptedException {
    Action action = actions.get(key);
    if (action == null) {
      return false;
    }
    action.run();
    return true;
  }
}
