package dev.helixbg.daemon.service;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the user asked the service to be, kept in {@code ~/.helix/service.json} so that it can be
 * written anew for another version.
 *
 * @param kbs knowledge bases to watch, absolute
 * @param notes folders of notes to watch as knowledge bases, absolute
 * @param config the settings file that was named, absolute
 * @param set settings that were given as flags
 * @param environment settings that came from the environment then
 */
public record ServiceRequest(
    List<Path> kbs,
    List<Path> notes,
    Optional<Path> config,
    Map<String, String> set,
    Map<String, String> environment) {

  public ServiceRequest {
    kbs = List.copyOf(kbs);
    notes = List.copyOf(notes);
    set = new TreeMap<>(set);
    environment = new TreeMap<>(environment);
  }

  public static Path file(DaemonHome home) {
    return home.folder().resolve("service.json");
  }

  /**
   * The one that is kept; empty when none is.
   *
   * @throws Failure with {@link ExitCode#USAGE} when the file cannot be understood
   */
  public static Optional<ServiceRequest> read(DaemonHome home) {
    Path file = file(home);
    try {
      PrivateFiles.requireFile(file);
      return Optional.of(of(new ObjectMapper().readTree(Files.readString(file))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JacksonException | InvalidPathException e) {
      throw damaged(file, "is damaged");
    } catch (IOException e) {
      throw damaged(file, "cannot be read: " + Failure.reason(e));
    }
  }

  private static Failure damaged(Path file, String how) {
    return Failure.usage(file + " " + how + "; it is written anew by: helix-bg service install");
  }

  private static ServiceRequest of(JsonNode json) {
    List<Path> kbs = paths(json.path("kbs"));
    List<Path> notes = paths(json.path("notes"));
    if (kbs.isEmpty() && notes.isEmpty()) {
      throw new InvalidPathException("", "no knowledge base");
    }
    return new ServiceRequest(
        kbs,
        notes,
        Optional.ofNullable(json.path("config").textValue()).map(Path::of),
        texts(json.path("set")),
        texts(json.path("environment")));
  }

  private static List<Path> paths(JsonNode array) {
    List<Path> paths = new ArrayList<>();
    array.forEach(path -> paths.add(Path.of(path.asText())));
    return paths;
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new TreeMap<>();
    object.properties().forEach(field -> texts.put(field.getKey(), field.getValue().asText()));
    return texts;
  }

  public String json() {
    ObjectNode json = Json.object();
    kbs.forEach(kb -> json.withArray("kbs").add(kb.toString()));
    notes.forEach(folder -> json.withArray("notes").add(folder.toString()));
    config.ifPresent(file -> json.put("config", file.toString()));
    set.forEach(json.withObjectProperty("set")::put);
    environment.forEach(json.withObjectProperty("environment")::put);
    return json.toPrettyString() + "\n";
  }

  /** Arguments of the command {@code daemon}. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    config.ifPresent(file -> arguments.addAll(List.of("--config", file.toString())));
    set.forEach((name, value) -> arguments.addAll(List.of("--set", name + "=" + value)));
    notes.forEach(folder -> arguments.addAll(List.of("--notes", folder.toString())));
    kbs.forEach(kb -> arguments.add(kb.toString()));
    return arguments;
  }
}
