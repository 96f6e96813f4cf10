package dev.helixbg.llm.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Tests the process of the rival (llama.cpp), with shell scripts instead of Node.js. */
class LlamaRivalTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir private Path folder;

  private LlamaRival start(String script, Duration patience) throws IOException {
    Path node = folder.resolve("node");
    Files.writeString(node, "#!/bin/sh\n" + script);
    assertTrue(node.toFile().setExecutable(true));
    return LlamaRival.start(node.toString(), folder, Path.of("model.gguf"), 2, 64, patience);
  }

  @Test
  void eachRoundHasItsSpeedWhateverElseIsPrinted() throws IOException {
    String script =
        """
        echo; echo noise
        case $3 in *node-llama-cpp*) echo "ready 3.22.1,$1,$2,$(basename $4),$5,$6";; esac
        while read -r test n; do echo; echo "noise"; echo "speed $n.5"; done
        """;
    try (LlamaRival rival = start(script, LONG)) {
      assertEquals("3.22.1,--input-type=module,--eval,model.gguf,2,64", rival.version());
      assertEquals(512.5, rival.round("pp", 512));
      assertEquals(64.5, rival.round("tg", 64));
    }
  }

  @Test
  void anEndOfItsOwnIsToldWithItsCode() throws IOException {
    told("exit code 3", () -> start("exit 3", LONG));
    try (LlamaRival rival = start("echo ready 1; exit 4", LONG)) {
      told("exit code 4", () -> rival.round("pp", 1));
    }
  }

  @Test
  void whatIsNoNumberIsTold() throws IOException {
    try (LlamaRival rival = start("echo ready 1; read -r _; echo speed fast; read -r _", LONG)) {
      told("no speed but fast", () -> rival.round("pp", 1));
    }
  }

  @Test
  void itIsNotWaitedForLongerThanAllowed() {
    told("gave no answer within", () -> start("read -r _", Duration.ofMillis(50)));
  }

  @Test
  void anInterruptEndsTheRoundAndClosingEndsTheProcess() throws Exception {
    LlamaRival rival = start("echo ready 1; while :; do read -r _; done", LONG);
    ProcessHandle process =
        ProcessHandle.current()
            .children()
            .filter(child -> child.info().commandLine().orElse("").contains(folder.toString()))
            .findFirst()
            .orElseThrow();
    Thread.currentThread().interrupt();
    rival.round("pp", 512);
    assertTrue(Thread.interrupted());
    rival.close();
    process.onExit().get(1, TimeUnit.MINUTES);
  }

  @Test
  void withoutNodeItsUserIsToldHowToGetIt() {
    String none = folder.resolve("none").toString();
    told(LlamaRival.REMEDY, () -> LlamaRival.start(none, folder, folder, 1, 1, LONG));
  }

  private static void told(String part, Executable work) {
    RivalException e = assertThrows(RivalException.class, work);
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
