package dev.helixbg.llm.cpu.lanes;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that all methods with vectors are short enough for C2 to inline them into any kernel.
 * Otherwise, C2 would box the vectors.
 */
class InlinedTest {
  private static final Pattern OPTION = Pattern.compile("-XX:MaxTrivialSize=(\\d+)");

  @Test
  void everyMethodIsTrivialToTheCompiler() throws IOException, URISyntaxException {
    Matcher option = OPTION.matcher(Files.readString(Path.of("../scripts/lib/jvm.options")));
    assertTrue(option.find());
    int most = Integer.parseInt(option.group(1));
    int vectors = 0;
    for (Path file : classes()) {
      for (MethodModel method : ClassFile.of().parse(file).methods()) {
        String type = method.methodType().stringValue();
        if (type.contains("Vector;") && !method.methodName().equalsString("partners")) {
          vectors++;
          int size = method.findAttribute(Attributes.code()).orElseThrow().codeLength();
          assertTrue(
              size <= most, "%s.%s: %d".formatted(file, method.methodName().stringValue(), size));
        }
      }
    }
    assertTrue(vectors >= 10, vectors + " methods that take or give vectors");
  }

  private static List<Path> classes() throws IOException, URISyntaxException {
    Path folder = Path.of(Lanes.class.getResource("Lanes.class").toURI()).getParent();
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".class")).toList();
    }
  }
}
