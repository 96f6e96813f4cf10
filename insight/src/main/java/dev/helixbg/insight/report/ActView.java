package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import dev.helixbg.insight.acts.HelixCall;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What can be done about a finding, in words and as calls to copy.
 *
 * @param condition under which it is the right thing, up to a colon, or what introduces it
 * @param words what to do, with names of entries and topics
 * @param calls of helix's tools, each a line of JSON; none where it takes a hand
 */
record ActView(String condition, String words, List<String> calls) {

  static List<ActView> of(List<Act> ways) {
    return ways.stream().map(way -> of(way, ways.size() > 1)).toList();
  }

  private static ActView of(Act act, boolean choice) {
    String condition = choice ? "If " + conditions(act) : "What to do";
    return new ActView(
        condition + (act.calls().isEmpty() ? ", by hand:" : ":"),
        PrintableText.line(act.words()),
        act.calls().stream().map(HelixCall::json).toList());
  }

  private static String conditions(Act act) {
    return act.when().stream()
        .map(
            when ->
                switch (when) {
                  case SAME -> "both say the same";
                  case OVERTAKEN -> "the newer one replaces the older one";
                  case RELATED -> "they only belong together";
                  case MISFILED -> "it is under the wrong topic";
                  case OVERLAP -> "both topics are about one subject";
                })
        .collect(Collectors.joining(", or "));
  }

  boolean hasCalls() {
    return !calls.isEmpty();
  }
}
