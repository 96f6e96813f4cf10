package dev.helixbg.insight.acts;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The steps by which helix carries out one act on one state of a knowledge base. The checks come
 * first. Then helix-bg plans the act again; the new plan must have the same calls. Then follow the
 * calls that set marks, a check of the marks, and the calls that make the change.
 *
 * @param checks checks that helix reads the same entries as helix-bg; they change nothing
 * @param marks calls that put an {@link ActMark} on each entry that is removed or rewritten
 * @param marked the hash in each mark, in the order of {@code marks}
 * @param calls calls that make the change; empty if a person has to make the change by hand
 * @param byHand reason why there are no calls
 * @param losses descriptions of lost data, except the texts of removed entries
 * @param undo calls that store removed and rewritten texts at the end of their topics; empty if
 *     these texts are too long for a call
 */
public record ActPlan(
    List<Check> checks,
    List<HelixCall> marks,
    List<String> marked,
    List<HelixCall> calls,
    Optional<String> byHand,
    List<String> losses,
    List<HelixCall> undo) {

  static ActPlan byHand(String why) {
    return new ActPlan(
        List.of(), List.of(), List.of(), List.of(), Optional.of(why), List.of(), List.of());
  }

  public List<HelixCall> edits() {
    return Stream.concat(marks.stream(), calls.stream()).toList();
  }

  /** Returns a name computed from the calls: plans with the same name have the same calls. */
  public String name() {
    return UUID.nameUUIDFromBytes(edits().toString().getBytes(UTF_8)).toString();
  }

  /** A check: the last line of helix's answer must give {@code entries} as the topic's size. */
  public record Check(HelixCall call, int entries) {}

  /**
   * One call of a tool of helix's MCP server: {@code edit}, {@code store} or, for a check, {@code
   * topics}. The arguments are in an order that is easy to read; numbers are strings, too.
   */
  public record HelixCall(String tool, Map<String, String> arguments) {
    /** Makes a call. Names and values of arguments alternate; empty values are left out. */
    static HelixCall of(String tool, String... namesAndValues) {
      Map<String, String> arguments = new LinkedHashMap<>();
      for (int i = 0; i < namesAndValues.length; i += 2) {
        if (!namesAndValues[i + 1].isEmpty()) {
          arguments.put(namesAndValues[i], namesAndValues[i + 1]);
        }
      }
      return new HelixCall(tool, arguments);
    }

    /**
     * Makes a call that edits the entry whose body contains {@code words}; no other entry of the
     * topic contains them.
     */
    static HelixCall edit(String action, String topic, String words, String text) {
      return of("edit", "action", action, "topic", topic, "match_str", words, "text", text);
    }

    static HelixCall store(String topic, String text) {
      return of("store", "topic", topic, "text", text);
    }

    /** Returns the parameters of MCP's request {@code tools/call}. */
    public ObjectNode toJson() {
      ObjectNode call = JsonNodeFactory.instance.objectNode().put("name", tool);
      ObjectNode given = call.putObject("arguments");
      arguments.forEach((name, value) -> given.put(name, PrintableText.wellFormed(value)));
      return call;
    }
  }
}
