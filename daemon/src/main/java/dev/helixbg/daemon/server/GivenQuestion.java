package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.agents.AgentQuestion;

/**
 * A question that is given to a coding agent.
 *
 * @param asked the part of the question that the server stores
 * @param texts the texts of the question, as data
 */
record GivenQuestion(AgentQuestion asked, ObjectNode texts) {
  String id() {
    return asked.id();
  }

  /**
   * @param answeredAs the id that the client must use in its answer
   */
  ObjectNode toJson(String answeredAs) {
    ObjectNode json = Json.object().put("id", answeredAs);
    return json.setAll(texts);
  }
}
