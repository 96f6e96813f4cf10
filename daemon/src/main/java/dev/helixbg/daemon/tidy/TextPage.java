package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;

/**
 * A text to read, and the keys below it.
 *
 * @param heading in one line
 * @param text of paragraphs, each broken into lines as the screen is wide
 * @param hints see {@link Page#hints}
 * @param actions by key; any other one does nothing
 */
record TextPage(
    AttributedString heading,
    List<AttributedString> text,
    Map<String, String> hints,
    Map<String, Action> actions)
    implements Page {

  /** Handles a key. */
  interface Action {
    void run() throws IOException, InterruptedException;
  }

  /** Without keys, which {@link #on} adds. */
  static TextPage of(AttributedString heading, List<AttributedString> text) {
    return new TextPage(heading, List.copyOf(text), new LinkedHashMap<>(), new LinkedHashMap<>());
  }

  /**
   * Adds a key.
   *
   * @param hint the key as it is shown
   * @param words what it does; empty: it is not shown
   */
  TextPage on(String key, String hint, String words, Action action) {
    actions.put(key, action);
    if (!words.isEmpty()) {
      hints.put(hint, words);
    }
    return this;
  }

  @Override
  public List<AttributedString> top(int columns) {
    return Ink.lines(heading, columns);
  }

  @Override
  public List<AttributedString> body(int columns) {
    List<AttributedString> lines = new ArrayList<>();
    text.forEach(part -> lines.addAll(Ink.lines(part, columns)));
    return lines;
  }

  @Override
  public boolean key(String key) throws IOException, InterruptedException {
    Action action = actions.get(key);
    if (action == null) {
      return false;
    }
    action.run();
    return true;
  }
}
