package dev.helixbg.insight.pairs;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The longest common subsequence of two lists of words. If there are several, it is the one whose
 * words come earliest in the second list.
 *
 * @param places index of each common word in the first and in the second list, in rising order
 * @param first length of the first list
 */
record CommonOrder(List<int[]> places, int first, int second) {

  static CommonOrder of(List<String> a, List<String> b) {
    int[][] longest = new int[a.size() + 1][b.size() + 1];
    for (int i = a.size() - 1; i >= 0; i--) {
      for (int j = b.size() - 1; j >= 0; j--) {
        longest[i][j] =
            a.get(i).equals(b.get(j))
                ? longest[i + 1][j + 1] + 1
                : Math.max(longest[i + 1][j], longest[i][j + 1]);
      }
    }
    List<int[]> places = new ArrayList<>();
    for (int i = 0, j = 0; i < a.size() && j < b.size(); ) {
      if (a.get(i).equals(b.get(j))) {
        places.add(new int[] {i++, j++});
      } else if (longest[i + 1][j] >= longest[i][j + 1]) {
        i++;
      } else {
        j++;
      }
    }
    return new CommonOrder(places, a.size(), b.size());
  }

  /** Returns the share of the words of both lists that belong to the common subsequence. */
  double share() {
    return first == 0 || second == 0 ? 0 : 2.0 * places.size() / (first + second);
  }

  /** Returns the places, followed by the lengths of the two lists. */
  List<int[]> placesAndEnd() {
    return Stream.concat(places.stream(), Stream.of(new int[] {first, second})).toList();
  }
}
