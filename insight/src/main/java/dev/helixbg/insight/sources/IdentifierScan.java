package dev.helixbg.insight.sources;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;

/** Finds identifiers and options in the bytes of source files. */
final class IdentifierScan {
  private final Set<String> wanted;

  IdentifierScan(Set<String> wanted) {
    this.wanted = wanted;
  }

  /** Tells of each wanted identifier that stands in a file by itself, perhaps more than once. */
  void in(byte[] file, Consumer<String> found) {
    for (int start = 0; start < file.length; start++) {
      boolean option =
          file[start] == '-'
              && start + 2 < file.length
              && file[start + 1] == '-'
              && isWord(file[start + 2])
              && (start == 0 || file[start - 1] != '-' && !isWord(file[start - 1]));
      if (option) {
        tell(file, start, end(file, start + 2, true), found);
        start++; // its parts may be wanted, too
      } else if (isWord(file[start])) {
        int end = end(file, start, false);
        tell(file, start, end, found);
        start = end;
      }
    }
  }

  private static int end(byte[] file, int start, boolean option) {
    int end = start;
    while (end < file.length
        && (isWord(file[end])
            || option && file[end] == '-' && end + 1 < file.length && isWord(file[end + 1]))) {
      end++;
    }
    return end;
  }

  private void tell(byte[] file, int start, int end, Consumer<String> found) {
    if (end - start <= 200) {
      String name = new String(file, start, end - start, StandardCharsets.ISO_8859_1);
      if (wanted.contains(name)) {
        found.accept(name);
      }
    }
  }

  private static boolean isWord(byte c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
  }
}
