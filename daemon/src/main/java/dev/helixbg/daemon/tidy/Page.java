package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jline.utils.AttributedString;

/**
 * The body of a screen, between its title line and the line that lists its keys; and these keys.
 */
abstract class Page {
  private final Map<String, String> hints = new LinkedHashMap<>();
  private final Map<String, Action> actions = new HashMap<>();

  /** Handles a key. */
  interface Action {
    void run() throws IOException, InterruptedException;
  }

  /** Lines that stay while the others scroll. */
  abstract List<AttributedString> top(int columns);

  /** Lines that scroll. */
  abstract List<AttributedString> body(int columns);

  /**
   * Adds a key.
   *
   * @param key a name such as {@code enter} or {@code esc}, else the character itself
   * @param words what it does; empty: it is not shown
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

  /** The keys that do something here, each with what it does. */
  Map<String, String> hints() {
    return hints;
  }

  /**
   * Reacts to a key.
   *
   * @return whether it means something here
   */
  boolean key(String key) throws IOException, InterruptedException {
    Action action = actions.get(key);
    if (action == null) {
      return false;
    }
    action.run();
    return true;
  }
}
