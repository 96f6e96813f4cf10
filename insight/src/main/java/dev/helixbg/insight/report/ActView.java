package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An act on a finding, as text.
 *
 * @param condition condition under which the act is right, with a colon at its end
 */
record ActView(String condition, String words) {

  static List<ActView> of(List<Act> ways) {
    return ways.stream()
        .map(
            way ->
                new ActView(
                    ways.size() > 1
                        ? "If " + conditions(way) + ":"
                        : way.when().contains(Act.When.OVERLAP)
                            ? "Check whether " + conditions(way) + ". If so:"
                            : "What to do:",
                    PrintableText.line(way.words())))
        .toList();
  }

  private static String conditions(Act act) {
    return act.when().stream()
        .map(
            when ->
                switch (when) {
                  case SAME -> "the entries say the same";
                  case OVERTAKEN -> "the newer entry replaces the older entry";
                  case RELATED -> "the entries are only related";
                  case MISFILED -> "the entry is under the wrong topic";
                  case OVERLAP -> "both topics are about one subject";
                  case RECURRING -> "the entries teach one lesson";
                  case MOVED -> "the entry describes the present state";
                })
        .collect(Collectors.joining(", or "));
  }
}
