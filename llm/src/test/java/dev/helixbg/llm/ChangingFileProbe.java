package dev.helixbg.llm;

import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;
import java.util.Set;

/**
 * In each round, generates answers with a model until another thread shortens the model's file, and
 * prints the error. Arguments: the model's file, a folder for copies of it, the number of rounds.
 */
final class ChangingFileProbe {
  private static final int LEFT = 8192;
  private static final int LONGEST_MILLIS = 200;

  private ChangingFileProbe() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Random random = new Random(15);
    for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
      Path copy = Path.of(arguments[1], "model.gguf");
      Files.copy(Path.of(arguments[0]), copy, StandardCopyOption.REPLACE_EXISTING);
      System.out.println(error(copy, random.nextInt(LONGEST_MILLIS)));
    }
  }

  private static String error(Path file, int millis) throws InterruptedException {
    ModelOptions options = ModelOptions.of(Device.CPU, 2, 1024);
    try (TextModel model = ModelOpener.open(file, options)) {
      Thread other = Thread.ofPlatform().start(() -> shorten(file, millis));
      try {
        while (true) {
          answer(model);
        }
      } catch (GgufException e) {
        return e.getMessage();
      } finally {
        other.join();
      }
    }
  }

  private static void answer(TextModel model) {
    int[] prompt = new int[64];
    GenerationOptions options = new GenerationOptions(64, Set.of());
    try (Session session = model.session()) {
      model.generate(session, prompt, options, id -> {}, () -> false);
    }
  }

  private static void shorten(Path file, int millis) {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      Thread.sleep(millis);
      open.setLength(LEFT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
