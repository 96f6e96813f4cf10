package dev.helixbg.llm.golden;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** The six quantisations of the small trained model, with the expected results of each. */
public enum GoldenModel {
  F16("golden-f16.gguf"),
  Q8_0("golden-q80.gguf"),
  Q6_K("golden-q6k.gguf"),
  Q5_K_M("golden-q5km.gguf"),
  Q4_K_M("golden-q4km.gguf"),
  Q4_0("golden-q40.gguf");

  /** The token {@code <|im_end|>}. */
  public static final int END = 1319;

  private static final Map<String, Expected> EXPECTED = readExpected();

  private final String fileName;
  private Path path;

  GoldenModel(String fileName) {
    this.fileName = fileName;
  }

  private record Expected(List<GoldenCase> cases) {}

  /**
   * Returns the model's file. If the file is in a jar, returns a copy, which the JVM deletes at its
   * end.
   */
  public synchronized Path path() {
    if (path == null) {
      path = locate();
    }
    return path;
  }

  private Path locate() {
    URL resource = GoldenModel.class.getResource("/golden/" + fileName);
    try {
      if (resource.getProtocol().equals("file")) {
        return Path.of(resource.toURI());
      }
      Path copy = Files.createTempFile("golden-", ".gguf");
      copy.toFile().deleteOnExit();
      try (InputStream in = resource.openStream()) {
        Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  public List<GoldenCase> cases() {
    return EXPECTED.get(fileName).cases();
  }

  private static Map<String, Expected> readExpected() {
    ObjectMapper mapper =
        new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    try (var in = GoldenModel.class.getResourceAsStream("/golden/expected.json")) {
      return mapper.readValue(in, new TypeReference<>() {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
