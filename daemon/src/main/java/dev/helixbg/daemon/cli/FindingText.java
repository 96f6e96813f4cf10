package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.report.EvidenceWords;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints one finding; {@code again} has the arguments that name the KB in other commands. */
record FindingText(Console console, JsonNode finding, String again) {
  void print() {
    for (String side : List.of("a", "b", "entry")) {
      if (finding.path(side).isObject()) {
        entry(finding.path(side), side.equals("entry") ? "" : side.toUpperCase(Locale.ROOT));
        matched(finding.path(side), finding.at("/evidence/passages/" + side));
      }
    }
    for (int i = 0; i < finding.path("entries").size(); i++) {
      JsonNode entry = finding.path("entries").path(i);
      if (entry.isObject()) {
        entry(entry, "");
      }
      if (finding.path("lessons").has(i)) {
        console.say("  > %s", finding.path("lessons").path(i).asText());
      }
    }
    if (finding.has("lesson")) {
      console.say("%nthe lesson that all these entries teach, written by the language model");
      text(finding.path("lesson").asText());
    }
    if (finding.has("proposedText")) {
      console.say("%ntext proposed by the language model; it has not been checked");
      text(finding.path("proposedText").asText());
    }
    console.out().println();
    say("why", finding.path("says").asText(""));
    say("verdict", verdict());
    say("agents", finding.at("/agents/words").asText());
    say("read", assessment());
    decision();
    for (JsonNode way : finding.path("edit")) {
      console.say("%-8s %s: %s", "if", listed(way.path("if"), " or "), way.path("do").asText());
    }
    if (!finding.path("edit").isEmpty()) {
      say("how", "helix-bg act " + finding.path("id").asText() + again);
    }
    if (finding.path("stale").asBoolean()) {
      say(
          "stale",
          "entries of this finding have changed or were removed since the report was made");
    }
  }

  private void entry(JsonNode entry, String side) {
    String about =
        Stream.of(
                side,
                entry.path("title").asText(),
                entry.path("place").asText(entry.path("name").asText()),
                entry.path("written").asText(""),
                listed(entry.path("tags"), ", "),
                entry.path("source").asText(""))
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("  "));
    console.say("%n%s", about);
    text(entry.path("text").asText());
    int omitted = entry.path("textOmitted").asInt();
    if (omitted > 0) {
      console.say("    … and %,d more characters", omitted);
    }
  }

  private void matched(JsonNode entry, JsonNode passage) {
    String text = entry.path("text").asText();
    int start = passage.path("start").asInt();
    if (start > 0 && start < text.length()) { // a passage at the beginning is already printed above
      Passage.InPlace found = new Passage(start, passage.path("end").asInt()).inPlace(text);
      console.say("%nmatching passage of %s", entry.path("name").asText());
      text(found.before());
      found.text().strip().lines().forEach(line -> console.out().println("  > " + line));
      text(found.after());
    }
  }

  private void text(String text) {
    text.strip().lines().forEach(line -> console.out().println("    " + line));
  }

  private void say(String what, String text) {
    if (!text.isEmpty()) {
      console.say("%-8s %s", what, text);
    }
  }

  private String verdict() {
    JsonNode said = finding.path("verdict");
    if (!said.isObject()) {
      return said.asText("");
    }
    return "%s, %.0f %%%s%s"
        .formatted(
            said.path("verdict").asText(),
            100 * said.path("probability").asDouble(),
            said.path("by").isTextual() ? ", by " + said.path("by").asText() : "",
            said.path("cut").asBoolean() ? "; at least one text was not read to its end" : "");
  }

  private String assessment() {
    JsonNode said = finding.path("assessment");
    if (!said.isObject()) {
      return said.isNull() && verdict().isEmpty()
          ? "no judge has read this pair; it was found by vectors and words alone"
          : "";
    }
    return "by the pair judge: %s; %s (the same %.0f %%, overtaken %.0f %%)"
        .formatted(
            said.path("words").asText("probably not worth acting on"),
            EvidenceWords.canGo(said.path("act").asDouble()),
            100 * said.path("same").asDouble(),
            100 * said.path("overtaken").asDouble());
  }

  private void decision() {
    JsonNode said = finding.path("decision");
    if (said.isObject()) {
      String reason = said.path("reason").asText();
      say(
          "decided",
          "%s by %s, %s%s"
              .formatted(
                  said.path("decision").asText(),
                  said.path("by").asText(),
                  said.path("at").asText().replaceFirst("T.*", ""),
                  reason.isEmpty() ? "" : ": " + reason));
    }
  }

  private static String listed(JsonNode texts, String between) {
    return texts.valueStream().map(JsonNode::asText).collect(Collectors.joining(between));
  }
}
