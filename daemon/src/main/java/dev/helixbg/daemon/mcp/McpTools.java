package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.server.FindingRequests;
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

/** The MCP tools. Their schemas are small, because clients send them to models all the time. */
record McpTools(ToolAnswers answers, ToolCallProgress calls, McpSampling sampling) {
  private static final int HITS = 10;
  private static final int NEAREST = 5;
  private static final int MOST_HITS = 50;
  private static final int QUESTIONS = 10;
  private static final int MOST_QUESTIONS = 100;

  private static final List<String> DECISIONS = List.of("done", "dismissed", "undo");

  private static final Set<String> ASKED = Set.of("questions", "answers");

  private static final int NAME = 1_000;

  private static final ToolArgument KB =
      ToolArgument.text("kb", NAME, "knowledge base, as the tool 'status' names it");

  List<SyncToolSpecification> all() {
    return List.of(
        tool(
            "search",
            "Find entries of the knowledge base by meaning and words. In a result, 'text' is the"
                + " matching passage. In a long entry, 'from' is the position of the passage, in"
                + " characters.",
            reads(),
            List.of(
                ToolArgument.text("text", SearchRequest.MAX_TEXT, "query").needed(),
                ToolArgument.text("topic", NAME, "only entries of this topic"),
                ToolArgument.number("limit", 1, MOST_HITS, HITS),
                KB),
            answers::search),
        tool(
            "related",
            "Returns the entries nearest to a text that is about to be stored, or to an entry, and"
                + " whether one of them already says the same. alreadySaid has one of five values."
                + " 'yes': the entry in the field 'entry' says the same. 'contradicts': the entry"
                + " in 'entry' seems to say something else about the same thing; read that entry"
                + " before you change it. 'perhaps': read the nearest entries, first the one in"
                + " 'entry'. 'no': no entry says the same. 'unknown': not all entries are indexed,"
                + " see 'coverage'. Give either 'text' or 'entry'.",
            reads(),
            List.of(
                ToolArgument.text(
                    "text", SearchRequest.MAX_TEXT, "text that is about to be stored"),
                ToolArgument.text("topic", NAME, "topic under which the text would be stored"),
                ToolArgument.text("entry", NAME, "an entry, named by topic:number or by its id"),
                ToolArgument.number("limit", 1, MOST_HITS, NEAREST),
                KB),
            answers::related),
        tool(
            "entry",
            "Read an entry, 8,000 characters at a time. To read on, call again with 'from' set to"
                + " the returned 'next'; 'total' is the number of all characters of the entry.",
            reads(),
            List.of(
                ToolArgument.text(
                        "entry",
                        NAME,
                        "topic:number, or the id, which does not change if the entry moves")
                    .needed(),
                ToolArgument.number("from", 0, Integer.MAX_VALUE, 0),
                KB),
            answers::entry),
        tool(
            "findings",
            "Returns the findings, the most valuable first: id, kind, entries, possible edits. With"
                + " id: one finding with its texts, up to 4,000 characters each (if 'textOmitted'"
                + " is set, call 'entry' for the rest). Ask the user before you edit. Use 'act' to"
                + " get the tool calls that make the edit of a finding. After these calls, call"
                + " 'decide'.",
            reads(),
            List.of(
                ToolArgument.text("id", NAME, "id of a finding, to get it in full"),
                ToolArgument.choice("kind", ReportedFinding.KINDS),
                ToolArgument.text("topic", NAME, "only findings on this topic"),
                ToolArgument.choice(
                    "verdict", List.of("same", "overtaken", "related", "different")),
                ToolArgument.number("page", 1, 1_000_000, 1),
                KB),
            answers::findings),
        tool(
            "act",
            "Returns the calls that make the edit of one finding in the present knowledge base;"
                + " changes nothing. Make the checks first: each must find the given number of"
                + " entries. Then make the calls in their order, without a pause, exactly as given,"
                + " including trailing blanks. Send calls named act to this tool, which checks that"
                + " the plan is still right; send the other calls to helix. If a call fails, or its"
                + " answer is not the expected one, stop and call 'act' again. If the answer lists"
                + " choices, call again with 'as'. A folder of notes has no calls: 'byHand'"
                + " describes the edits of the files in 'folder'; 'edits', if present, has the"
                + " exact old and new text.",
            reads(),
            List.of(
                ToolArgument.text("id", NAME, "id of the finding").needed(),
                ToolArgument.choice("as", FindingRequests.WAYS),
                ToolArgument.text(
                    "plan",
                    NAME,
                    "copy it from a call that 'act' returned; otherwise leave it out"),
                ToolArgument.text(
                    "marked",
                    NAME,
                    "copy it from a call that 'act' returned; otherwise leave it out"),
                KB),
            answers::act),
        tool(
            "decide",
            "Store an agent's decision on a finding: done (the edit was made, and the log must show"
                + " it), dismissed (wrong or unimportant) or undo (takes back the agent's own"
                + " decision). Changes no entry.",
            notes(true),
            List.of(
                ToolArgument.text("id", NAME, "id of the finding").needed(),
                ToolArgument.choice("decision", DECISIONS).needed(),
                ToolArgument.text("reason", DecisionStore.MAX_TEXT, "why, in a sentence"),
                KB),
            answers::decide),
        tool(
            "questions",
            "Returns the next open questions. Answers about pairs of entries decide which pairs"
                + " come first in the findings; questions of another kind begin with the newest"
                + " entries. Read the texts yourself, then call 'answers'. Changes no entry.",
            notes(false),
            List.of(
                ToolArgument.choice(
                    "kind", AgentQuestion.KINDS.stream().map(AgentQuestion::title).toList()),
                ToolArgument.number("count", 1, MOST_QUESTIONS, QUESTIONS),
                KB),
            answers::questions),
        tool(
            "answers",
            "Stores your answers to questions. Each has the id of the question, and one of the"
                + " possible answers, or a sentence if the question asks for a sentence. Returns"
                + " the refused answers with the reasons.",
            notes(true),
            List.of(ToolArgument.answers(MOST_QUESTIONS).needed(), KB),
            answers::answers),
        tool(
            "status",
            "Returns the knowledge bases, and whether the helix-bg daemon keeps them up to date.",
            reads(),
            List.of(),
            (_, _) -> answers.status()));
  }

  private interface Work {
    ObjectNode with(ObjectNode request, Progress.Display progress) throws Exception;
  }

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
                          return work.with(request, progress).toString();
                        })));
  }

  static ObjectNode putClient(Implementation client, String way, ObjectNode request) {
    return request
        .put("client", (client == null ? "" : client.name()) + way)
        .put("clientVersion", client == null ? "" : client.version());
  }

  private static ToolAnnotations reads() {
    return ToolAnnotations.builder().readOnlyHint(true).openWorldHint(false).build();
  }

  /** Hints for a tool that changes decisions or answers, but no entry. */
  private static ToolAnnotations notes(boolean isIdempotent) {
    return ToolAnnotations.builder()
        .readOnlyHint(false)
        .destructiveHint(false)
        .idempotentHint(isIdempotent)
        .openWorldHint(false)
        .build();
  }
}
