package dev.helixbg.insight.report;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * A list, of which all but the first is folded away where a format can fold.
 *
 * @param words on the fold
 */
record FoldableList<T>(List<T> first, List<T> more, String words) {

  /**
   * @param slack as many more than the first are not worth a fold
   * @param words made of how many are folded away
   */
  static <T> FoldableList<T> of(List<T> all, int first, int slack, IntFunction<String> words) {
    int shown = all.size() <= first + slack ? all.size() : first;
    return new FoldableList<>(
        all.subList(0, shown), all.subList(shown, all.size()), words.apply(all.size() - shown));
  }

  boolean isEmpty() {
    return first.isEmpty();
  }

  List<T> all() {
    return Stream.concat(first.stream(), more.stream()).toList();
  }
}
