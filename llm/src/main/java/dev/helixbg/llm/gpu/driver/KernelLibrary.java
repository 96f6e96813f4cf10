package dev.helixbg.llm.gpu.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Kernels that are compiled together: {@code #define}s followed by {@code .metal} files.
 *
 * @param name name of the library; libraries with the same name must have the same source
 * @param defines lines with the kernels' compile-time constants
 * @param files files of {@code llm/gpu/kernels}, in order
 */
public record KernelLibrary(String name, String defines, List<String> files) {
  private static final String FOLDER = "/dev/helixbg/llm/gpu/kernels/";
  private static final String HEADER =
      """
      #include <metal_stdlib>
      using namespace metal;
      """;

  public String source() {
    return HEADER + defines + files.stream().map(KernelLibrary::text).collect(Collectors.joining());
  }

  private static String text(String file) {
    try (InputStream in = KernelLibrary.class.getResourceAsStream(FOLDER + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
