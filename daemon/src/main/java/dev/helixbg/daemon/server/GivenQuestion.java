package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.agents.AgentQuestion;

/**
 * A question as it is given to an agent.
 *
 * @param asked what the server keeps of it
 * @param texts what it is about, as data
 */
record GivenQuestion(AgentQuestion asked, ObjectNode texts) {
  String id() {
    return asked.id();
  }

  /**
   * @param answeredAs the id by which the client answers
   */
  ObjectNode toJson(String answeredAs) {
    ObjectNode json = Json.object().put("id", answeredAs);
    return json.setAll(texts);
  }
}
