package dev.helixbg.insight.acts;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * How one act is carried out through helix, in the state of a knowledge base that it was planned
 * for: its checks; a last look of helix-bg's own, whether it would plan the same calls now; the
 * marks; another look, whether they stand where they should; then the calls.
 *
 * @param checks that helix sees what helix-bg sees; they change nothing
 * @param marks calls that put a {@link ActMark} at the end of each entry that goes or is rewritten
 * @param marked the hashes in those marks, in their order
 * @param calls none where it takes a hand
 * @param byHand why there are no calls
 * @param losses what is gone afterwards, in words, beside the texts of removed entries
 * @param undo calls that bring removed and rewritten texts back, as new entries at the end of their
 *     topics; none where the texts are too long for a call
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

  /** All that helix is asked to do. */
  public List<HelixCall> edits() {
    return Stream.concat(marks.stream(), calls.stream()).toList();
  }

  /**
   * Returns a name that tells these calls from others. An act that is planned on another state of
   * the log, and has the same name, is right there, too.
   */
  public String name() {
    return UUID.nameUUIDFromBytes(edits().toString().getBytes(UTF_8)).toString();
  }

  /**
   * Something to look at before the first call: {@code topics} with action {@code entries}, whose
   * last line says how many entries a topic has.
   */
  public record Check(HelixCall call, int entries) {}

  /**
   * One call of a tool of helix's MCP server, to be carried out there: helix-bg never writes to a
   * knowledge base.
   *
   * @param tool {@code edit}, {@code store} or, to look, {@code topics}
   * @param arguments in reading order; all of helix's arguments are strings, numbers too
   */
  public record HelixCall(String tool, Map<String, String> arguments) {
    public HelixCall {
      arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
    }

    /**
     * @param namesAndValues of the arguments, in turn; those without a value are left out
     */
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
     * @param topic of the entry
     * @param words that no other entry of its topic has
     */
    static HelixCall edit(String action, String topic, String words, String text) {
      return of("edit", "action", action, "topic", topic, "match_str", words, "text", text);
    }

    static HelixCall store(String topic, String text) {
      return of("store", "topic", topic, "text", text);
    }

    /** Returns the parameters of a {@code tools/call}. */
    public ObjectNode toJson() {
      ObjectNode call = JsonNodeFactory.instance.objectNode().put("name", tool);
      ObjectNode given = call.putObject("arguments");
      arguments.forEach((name, value) -> given.put(name, PrintableText.wellFormed(value)));
      return call;
    }
  }
}
