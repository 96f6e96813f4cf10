package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.ForkedJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TempFolderTest {
  @TempDir Path folder;

  @Test
  void aTempFolderThatCannotBeWrittenIsNamed() throws Exception {
    Path temp = folder.resolve("missing");
    assertEquals(
        "the temp folder "
            + temp
            + " cannot be written, but ONNX Runtime needs one: set"
            + " HELIX_BG_LAUNCHER_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER",
        ForkedJvm.runPlain("-Djava.io.tmpdir=" + temp, Loading.class, TestModels.CACHE.toString()));
  }

  static final class Loading {
    public static void main(String[] arguments) {
      NativeLibraries.load(Path.of(arguments[0]));
      try {
        NativeLibraries.loadOnnxRuntime();
      } catch (EmbeddingException e) {
        System.out.print(e.getMessage());
      }
    }
  }
}
