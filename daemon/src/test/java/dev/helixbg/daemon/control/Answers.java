package dev.helixbg.daemon.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All lines of an answer, once it has ended. */
public final class Answers {
  private Answers() {}

  public static List<JsonNode> of(ControlClient client, ObjectNode request) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    client.ask(request, lines::add);
    return lines;
  }
}
