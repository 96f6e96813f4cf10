package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.agents.AgentQuestion;
import dev.helixbg.insight.decisions.DecisionStore;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tools as clients see them. They are few and have small schemas, because a client sends all of
 * them with every request. {@link ToolAnswers} computes the answers.
 */
record McpTools(ToolAnswers answers, ToolCallProgress calls, McpSampling sampling) {
  private static final int HITS = 10;
  private static final int NEAREST = 5;
  private static final int MOST_HITS = 50;
  private static final int QUESTIONS = 10;
  private static final int MOST_QUESTIONS = 100;

  private static final List<String> DECISIONS =
      List.of("done", "dismissed", "undo", "same", "overtaken", "related", "different");

  /** Tools that need the name of the calling client. */
  private static final Set<String> ASKED = Set.of("questions", "answers");

  private static final int NAME = 1_000;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ToolArgument KB =
      ToolArgument.text("kb", NAME, "knowledge base, as status names it");

  List<SyncToolSpecification> all() {
    return List.of(
        search(), related(), entry(), findings(), act(), decide(), questions(), answer(), status());
  }

  private interface Work {
    /**
     * @param request request with the client's arguments
     */
    ObjectNode with(ObjectNode request, Progress.Display progress) throws Exception;
  }

  /** Returns a tool whose arguments become fields of the request with the tool's name. */
  private SyncToolSpecification tool(
      String name,
      String description,
      ToolAnnotations hints,
      List<ToolArgument> arguments,
      Work work) {
    Map<String, Object> properties = new LinkedHashMap<>();
    arguments.forEach(argument -> properties.put(argument.name(), argument.schema()));
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    List<String> required =
        arguments.stream().filter(ToolArgument::isNeeded).map(ToolArgument::name).toList();
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    Tool tool = Tool.builder(name, schema).description(description).annotations(hints).build();
    return new SyncToolSpecification(
        tool,
        (client, call) ->
            sampling.during(
                client,
                () ->
                    calls.run(
                        client,
                        call,
                        progress -> {
                          ObjectNode request = DaemonLink.request(name);
                          ToolArgument.put(
                              call.arguments() == null ? Map.of() : call.arguments(),
                              arguments,
                              request);
                          if (ASKED.contains(name)) {
                            putClient(client.getClientInfo(), "", request);
                          }
                          return JSON.writeValueAsString(work.with(request, progress));
                        })));
  }

  /**
   * Adds the client's name and version, as the client reported them at the start of the session.
   *
   * @param way suffix of the name
   */
  static ObjectNode putClient(Implementation client, String way, ObjectNode request) {
    return request
        .put("client", (client == null ? "" : client.name()) + way)
        .put("clientVersion", client == null ? "" : client.version());
  }

  private static ToolAnnotations reads() {
    return ToolAnnotations.builder().readOnlyHint(true).openWorldHint(false).build();
  }

  private SyncToolSpecification search() {
    return tool(
        "search",
        "Find entries of the knowledge base by meaning and words; text is the passage that"
            + " matches, from its character in a long entry.",
        reads(),
        List.of(
            ToolArgument.text("text", SearchRequest.MAX_TEXT, "what to look for").needed(),
            ToolArgument.text("topic", NAME, "only entries of this topic"),
            ToolArgument.number("limit", 1, MOST_HITS, HITS),
            KB),
        answers::search);
  }

  private SyncToolSpecification related() {
    return tool(
        "related",
        "Before storing a text, or for an entry: its nearest entries, and whether one already says"
            + " it: yes or contradicts (the one in entry, so probable), no, perhaps (read them,"
            + " entry first), unknown (not all is indexed: coverage). Give text or entry.",
        reads(),
        List.of(
            ToolArgument.text("text", SearchRequest.MAX_TEXT, "what is about to be stored"),
            ToolArgument.text("topic", NAME, "topic it would be stored under"),
            ToolArgument.text("entry", NAME, "an entry, as topic:number or by its id"),
            ToolArgument.number("limit", 1, MOST_HITS, NEAREST),
            KB),
        answers::related);
  }

  private SyncToolSpecification entry() {
    return tool(
        "entry",
        "Read an entry whole, 8,000 characters at a time: next says where to go on, total how many"
            + " there are.",
        reads(),
        List.of(
            ToolArgument.text("entry", NAME, "topic:number, or its id, which stays where it moves")
                .needed(),
            ToolArgument.number("from", 0, Integer.MAX_VALUE, 0),
            KB),
        answers::entry);
  }

  private SyncToolSpecification findings() {
    return tool(
        "findings",
        "What is worth tidying, the most valuable first: id, kind, entries, what to do. With id:"
            + " one finding with its texts, to 4,000 characters each (textOmitted: entry reads on)."
            + " Ask the user before you edit; call act for the calls that carry it out, then"
            + " decide.",
        reads(),
        List.of(
            ToolArgument.text("id", NAME, "one finding, in full"),
            ToolArgument.choice("kind", ReportedFinding.KINDS),
            ToolArgument.text("topic", NAME, "only where this topic is concerned"),
            ToolArgument.choice("verdict", List.of("same", "overtaken", "related", "different")),
            ToolArgument.number("page", 1, 1_000_000, 1),
            KB),
        answers::findings);
  }

  private SyncToolSpecification act() {
    return tool(
        "act",
        "How one finding is carried out, in the knowledge base as it is now; changes nothing."
            + " Make its checks first (each must count so many entries), then its calls, exactly"
            + " as given (blanks at the end, too), in their order, without a pause: act is this"
            + " tool, which looks whether they are right still, the others are helix's. Stop at"
            + " the first that fails or answers otherwise, and ask again. Where it gives choices,"
            + " say as. Of a folder of notes there are no calls: byHand says what to edit in which"
            + " files of folder; edits, if there, give the exact text that was and is to be.",
        reads(),
        List.of(
            ToolArgument.text("id", NAME, "id of the finding").needed(),
            ToolArgument.choice("as", FindingRequests.WAYS),
            ToolArgument.text("plan", NAME, "only as its calls say"),
            ToolArgument.text("marked", NAME, "only as its calls say"),
            KB),
        answers::act);
  }

  private SyncToolSpecification decide() {
    return tool(
        "decide",
        "Remember what became of a finding, as an agent's word: done (acted on; the log must show"
            + " it), dismissed (wrong or unimportant), undo; or an opinion that leaves it open:"
            + " same, overtaken, related, different. Changes no entry.",
        notes(true),
        List.of(
            ToolArgument.text("id", NAME, "id of the finding").needed(),
            ToolArgument.choice("decision", DECISIONS).needed(),
            ToolArgument.text("reason", DecisionStore.MAX_TEXT, "why, in a sentence"),
            KB),
        answers::decide);
  }

  private SyncToolSpecification questions() {
    return tool(
        "questions",
        "The next open questions. Answers about pairs of entries decide which pairs come first in"
            + " findings; questions of another kind begin with the newest entries. Read the texts"
            + " yourself, then call answers. Changes no entry.",
        notes(false),
        List.of(
            ToolArgument.choice(
                "kind", AgentQuestion.KINDS.stream().map(AgentQuestion::title).toList()),
            ToolArgument.number("count", 1, MOST_QUESTIONS, QUESTIONS),
            KB),
        answers::questions);
  }

  private SyncToolSpecification answer() {
    return tool(
        "answers",
        "Your answers to questions: each with the id of its question, and one of the answers that"
            + " questions named, or a sentence where it asks for one. Says which were refused, and"
            + " why.",
        notes(true),
        List.of(ToolArgument.pairs("answers", "id", "answer", MOST_QUESTIONS).needed(), KB),
        answers::answers);
  }

  /** Returns the hints of a tool that changes decisions or answers, and no entry. */
  private static ToolAnnotations notes(boolean isIdempotent) {
    return ToolAnnotations.builder()
        .readOnlyHint(false)
        .destructiveHint(false)
        .idempotentHint(isIdempotent)
        .openWorldHint(false)
        .build();
  }

  private SyncToolSpecification status() {
    return tool(
        "status",
        "Which knowledge bases there are, and whether the helix-bg daemon keeps them up to date.",
        reads(),
        List.of(),
        (_, _) -> answers.status());
  }
}
