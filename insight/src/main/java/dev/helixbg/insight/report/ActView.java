package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import java.util.ArrayList;
import java.util.List;

/**
 * An act on a finding, and the condition under which the act is right. The condition ends with a
 * colon.
 */
record ActView(String condition, String words) {

  static List<ActView> of(List<Act> ways) {
    List<ActView> views = new ArrayList<>();
    for (Act way : ways) {
      String form =
          ways.size() > 1
              ? "If %s:"
              : way.when().contains(Act.When.OVERLAP) ? "Check whether %s. If so:" : "What to do:";
      String conditions = String.join(", or ", way.when().stream().map(Act.When::words).toList());
      views.add(new ActView(form.formatted(conditions), PrintableText.line(way.words())));
    }
    return views;
  }
}
