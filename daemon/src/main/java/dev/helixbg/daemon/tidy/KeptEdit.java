package dev.helixbg.daemon.tidy;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.acts.FileEdit;
import dev.helixbg.insight.notes.FactFile.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An edit that was made in a memory file, with the data for an undo: the SHA-256 of the file {@code
 * after} the edit, and the lines {@code around} each changed part of the text.
 */
record KeptEdit(FileEdit edit, String after, List<Around> around) {
  /** Lines before and after a changed part, with line ends; empty at the file's start or end. */
  record Around(String left, String right) {}

  static KeptEdit of(FileEdit edit, String before) {
    List<Around> around = new ArrayList<>();
    for (Span span : edit.spans()) {
      int start = span.at();
      int end = start + span.was().length();
      around.add(
          new Around(
              before.substring(lineStart(before, start - 1), start),
              before.substring(end, nextLine(before, end))));
    }
    return new KeptEdit(edit, Sha256.of(Span.changed(before, edit.spans())), around);
  }

  private static boolean isEnd(String text, int at) {
    return text.charAt(at) == '\n' || text.charAt(at) == '\r' && !text.startsWith("\r\n", at);
  }

  private static int lineStart(String text, int end) {
    int start = Math.max(0, end);
    while (start > 0 && !isEnd(text, start - 1)) {
      start--;
    }
    return start;
  }

  private static int nextLine(String text, int start) {
    int end = start;
    while (end < text.length() && !isEnd(text, end)) {
      end++;
    }
    return Math.min(text.length(), end + 1);
  }

  /**
   * Returns the text {@code now} without the edit. If the file has changed since the edit, finds
   * each new text by the lines around it. Empty unless each new text is found exactly once.
   */
  Optional<String> takenBack(String now) {
    if (Sha256.of(now).equals(after)) {
      return Optional.of(Span.changed(now, back()));
    }
    String text = now;
    for (int i = around.size() - 1; i >= 0; i--) {
      Around lines = around.get(i);
      Span span = edit.spans().get(i);
      String there = lines.left() + span.is() + lines.right();
      int at = text.indexOf(there);
      boolean isOne = at >= 0 && at == text.lastIndexOf(there) && lineStart(text, at) == at;
      if (there.isEmpty() || !isOne) {
        return Optional.empty();
      }
      int start = at + lines.left().length();
      int end = start + span.is().length();
      boolean isJoined = end < text.length() && !isEnd(span.was(), span.was().length() - 1);
      text = text.substring(0, start) + span.was() + (isJoined ? "\n" : "") + text.substring(end);
    }
    return Optional.of(text);
  }

  private List<Span> back() {
    List<Span> back = new ArrayList<>();
    int moved = 0;
    for (Span span : edit.spans()) {
      back.add(new Span(span.at() + moved, span.is(), span.was()));
      moved += span.is().length() - span.was().length();
    }
    return back;
  }
}
