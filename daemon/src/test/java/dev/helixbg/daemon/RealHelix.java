package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.insight.acts.HelixTools;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A real helix server on a knowledge base, asked over its standard streams as agents do. */
final class RealHelix implements HelixTools, AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final Process process;
  private final BufferedWriter to;
  private final BufferedReader from;
  private int calls;

  /**
   * @param binary the program, built by whoever runs this
   * @param folder of the knowledge base
   */
  RealHelix(Path binary, Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    ProcessBuilder builder = new ProcessBuilder(binary.toString(), "serve", folder.toString());
    builder.environment().put("HOME", folder.toString());
    this.process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    this.to = process.outputWriter();
    this.from = process.inputReader();
    ask("initialize", JSON.createObjectNode());
  }

  private JsonNode ask(String method, JsonNode parameters) throws IOException {
    ObjectNode request = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", ++calls);
    request.put("method", method).set("params", parameters);
    to.write(request + "\n");
    to.flush();
    String line = from.readLine();
    if (line == null) {
      throw new IOException("helix has ended");
    }
    return JSON.readTree(line);
  }

  @Override
  public synchronized String call(String tool, Map<String, String> arguments) {
    ObjectNode call = JSON.createObjectNode().put("name", tool);
    ObjectNode given = call.putObject("arguments");
    arguments.forEach(given::put);
    try {
      JsonNode answer = ask("tools/call", call);
      if (answer.has("error")) {
        throw new Refusal(answer.at("/error/message").asText());
      }
      StringBuilder text = new StringBuilder();
      answer.at("/result/content").forEach(part -> text.append(part.path("text").asText()));
      return text.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public byte[] log() throws IOException {
    return Files.readAllBytes(folder.resolve("data.log"));
  }

  @Override
  public void close() {
    process.destroy();
  }
}
