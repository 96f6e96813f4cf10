package dev.helixbg.daemon.service;

import com.fasterxml.jackson.core.JacksonException;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The user's options for the service, stored in {@code ~/.helix/service.json}, so that another
 * version of helix-bg can write the service's file again. Paths are absolute.
 *
 * @param config the settings file; null if none was named
 * @param set settings from flags
 * @param environment variables for the service, with their values at its installation
 */
public record ServiceRequest(
    List<String> kbs,
    List<String> notes,
    String config,
    Map<String, String> set,
    Map<String, String> environment) {

  public ServiceRequest {
    kbs = kbs == null ? List.of() : List.copyOf(kbs);
    notes = notes == null ? List.of() : List.copyOf(notes);
    set = new TreeMap<>(Objects.requireNonNullElse(set, Map.of()));
    environment = new TreeMap<>(Objects.requireNonNullElse(environment, Map.of()));
  }

  public static Path file(DaemonHome home) {
    return home.folder().resolve("service.json");
  }

  public static Optional<ServiceRequest> read(DaemonHome home) {
    Path file = file(home);
    try {
      PrivateFiles.requireFile(file);
      return Optional.of(Json.read(Files.readString(file), ServiceRequest.class));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JacksonException e) {
      throw damaged(file, "is damaged");
    } catch (IOException e) {
      throw damaged(file, "cannot be read: " + PrivateFiles.reason(e));
    }
  }

  private static Failure damaged(Path file, String how) {
    return Failure.usage(file + " " + how + "; to write it again, run: helix-bg service install");
  }

  public String json() {
    return Json.of(this).toPrettyString() + "\n";
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("daemon"));
    if (config != null) {
      arguments.addAll(List.of("--config", config));
    }
    set.forEach((name, value) -> arguments.addAll(List.of("--set", name + "=" + value)));
    notes.forEach(folder -> arguments.addAll(List.of("--notes", folder)));
    arguments.addAll(kbs);
    return arguments;
  }
}
