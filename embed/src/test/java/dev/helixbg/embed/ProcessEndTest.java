package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.onnx.FusedGraph;
import dev.helixbg.embed.onnx.OnnxFile;
import dev.helixbg.embed.onnx.TinyExport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process may end at any moment, even while its threads run calls of ONNX Runtime. */
class ProcessEndTest {
  @TempDir Path folder;

  @Test
  void endsWhileThreadsOpenModelsAndEmbed() throws Exception {
    Path export = folder.resolve("export.onnx");
    TinyExport.write(export);
    Path graph = folder.resolve("graph.onnx");
    try (OnnxFile file = OnnxFile.open(export)) {
      FusedGraph.write(file, Precision.FP32, false, graph);
    }
    Path output = folder.resolve("output");
    Path crash = folder.resolve("crash");
    Process process =
        new ProcessBuilder(
                ForkedJvm.command(
                    List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + crash),
                    Busy.class,
                    TestModels.CACHE.toString(),
                    graph.toString()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(2, TimeUnit.MINUTES), "it ends");
      assertEquals("", Files.readString(output));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  static final class Busy {
    private static final int THREADS = 4;

    public static void main(String[] arguments) throws Exception {
      NativeLibraries.load(Path.of(arguments[0]));
      Path graph = Path.of(arguments[1]);
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> OnnxCall.endAll(Duration.ofMinutes(1))));
      CountDownLatch done = new CountDownLatch(3 * THREADS);
      for (int i = 0; i < THREADS; i++) {
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (true) {
                    embed(graph);
                    done.countDown();
                  }
                });
      }
      done.await();
      System.exit(0);
    }

    private static void embed(Path graph) {
      try (TokenModel model = new CpuNetwork.CpuModel(graph, false, Pooling.UNIT_MEAN)) {
        model.embed(new int[][] {{1, 2, 3}});
      } catch (OrtException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
