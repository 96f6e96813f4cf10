package dev.helixbg.daemon.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.text.HostileText;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Interruption;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostileTextTest {
  private static final Interruption INTERRUPTION = NoInterruption.make();

  /** Cache folder with the prepared embedding model, for the tests of all modules. */
  private static final Path CACHE = Path.of("../embed/target/test-cache").toAbsolutePath();

  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** Runs a command without colours, and checks that its output is harmless. */
  private int run(String... arguments) throws CharacterCodingException {
    out.reset();
    err.reset();
    int code =
        HelixBg.commandLine(new Console(out, err, false, false), INTERRUPTION).execute(arguments);
    String where = String.join(" ", arguments);
    HostileText.assertHarmless(decoded(out), "stdout of " + where);
    HostileText.assertHarmless(decoded(err), "stderr of " + where);
    return code;
  }

  private int ok(String command, String... arguments) throws CharacterCodingException {
    List<String> all =
        new ArrayList<>(
            List.of(command, "--set=cache=" + CACHE, "--set=state=" + folder.resolve("state")));
    all.addAll(List.of(arguments));
    int code = run(all.toArray(String[]::new));
    assertEquals(0, code, err::toString);
    return code;
  }

  /** Runs doctor with an embedding model that cannot be opened. */
  private int doctor(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of("doctor", "--set=cache=" + CACHE));
    all.add("--set=embed.models=" + FakeModel.unopenable(folder.resolve("none")));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  private static String decoded(ByteArrayOutputStream bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes.toByteArray()))
        .toString();
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(out.toByteArray());
  }

  /**
   * Makes a file name of a text: without separators and characters that the platform cannot encode.
   */
  private static String fileName(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        .replace('\0', '_')
        .replace('/', '_');
  }

  @Test
  void namesAndTextsOfEntries() throws Exception {
    WritableKb writer =
        new WritableKb(
            folder.resolve(fileName(String.join("", HostileText.CORPUS.subList(1, 4)))),
            new Random(1));
    for (String text : HostileText.CORPUS) {
      writer.append(text, "the broker keeps stale leases: " + text);
      writer.append(text, "the broker keeps stale leases! " + text);
    }
    String kb = writer.kb().folder().toString();
    ok("one-shot", kb);
    ok("one-shot", kb, "--json");
    assertTrue(
        json().toString().contains("\u001B]52;c;ZXZpbA==".replace("\u001B", "\\u001B")),
        "the value stays");
    ok("findings", kb);
    ok("findings", kb, "--json");
    String id = json().at("/findings/0").path("id").asText();
    assertTrue(
        json().findValuesAsText("about").stream().anyMatch(about -> about.contains("\u001B")));
    ok("dismiss", "--kb", kb, id);
    ok("findings", kb, "--settled");
    ok("findings", kb, "--settled", "--json");
    ok("verify", kb);
    ok("verify", kb, "--json");
    assertEquals(kb, json().path("kb").asText());
    ok("search", "--kb", kb, "-n", "50", "stale leases");
    assertEquals(
        2 * Math.min(50, 2 * HostileText.CORPUS.size()),
        decoded(out).lines().count(),
        "two lines a hit");
    ok("search", "--kb", kb, "--json", "-n", "50", "stale leases");
    ok("config", "--set=kb=" + kb);
    assertNotEquals(0, doctor("--set=kb=" + kb, "--set=llm.model=" + kb));
    doctor("--json", "--set=kb=" + kb, "--set=llm.model=" + kb);
    assertTrue(json().toString().contains(fileName("\u001B]0;owned").replace("\u001B", "\\u001B")));
  }

  @Test
  void argumentsOfEveryCommand() throws Exception {
    Path missing = folder.resolve("missing");
    List<String> commands =
        List.copyOf(
            HelixBg.commandLine(new Console(out, err, false, false), INTERRUPTION)
                .getSubcommands()
                .keySet());
    String all = String.join("", HostileText.CORPUS).replace('\0', ' ');
    for (String command : commands) {
      assertNotEquals(0, run(command, "--" + all), command);
      assertNotEquals(0, run(command, missing + all, all), command);
    }
    for (String text : HostileText.CORPUS) {
      assertNotEquals(0, run("config", "--set=threads=" + text));
    }
    assertNotEquals(0, run(all));
    assertNotEquals(0, run("config", "--set=" + all));
    assertNotEquals(0, run("config", "--config=" + folder.resolve(fileName(all.substring(0, 60)))));
    assertNotEquals(0, run("generate", "-n", all, "x.gguf"));
    assertNotEquals(0, run("service", all));
    assertNotEquals(0, run("generate", folder.resolve(fileName(all.substring(0, 60))).toString()));
  }

  @Test
  void namesInModelFiles() throws Exception {
    String name = "\u001B]2;owned\u0007ab"; // as long as the replaced name
    Path file = folder.resolve("model.gguf");
    byte[] golden = Files.readAllBytes(GoldenModel.Q4_K_M.path());
    Files.write(
        file,
        new String(golden, StandardCharsets.ISO_8859_1)
            .replaceFirst("helix golden", name)
            .getBytes(StandardCharsets.ISO_8859_1));
    doctor("--set=llm.model=" + file);
    assertTrue(decoded(out).contains("␛]2;owned␇"), decoded(out));
    ok("generate", file.toString(), "--prompt", "one two", "--raw", "-n", "8", "--stats");
  }
}
