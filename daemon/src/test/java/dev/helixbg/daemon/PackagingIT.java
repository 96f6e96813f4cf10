package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the conditions under which {@code scripts/package} can make a release. */
class PackagingIT {
  private static final Path PACKAGING = Program.ROOT.resolve("packaging");

  private static List<String[]> components() throws Exception {
    return Files.readAllLines(PACKAGING.resolve("components.tsv")).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t"))
        .toList();
  }

  @Test
  void theLicenceOfEachJarIsKnown() throws Exception {
    Set<String> known = components().stream().map(line -> line[0]).collect(Collectors.toSet());
    Set<String> unknown = new TreeSet<>();
    try (Stream<Path> files = Files.list(Program.DIST.resolve("lib"))) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .map(name -> name.replaceFirst("(-\\d.*)?\\.jar$", ""))
          .filter(name -> !known.contains(name))
          .forEach(unknown::add);
    }
    assertEquals(Set.of(), unknown, "add them to packaging/components.tsv");
  }

  @Test
  void theTextOfEachLicenceIsThere() throws Exception {
    for (String[] component : components()) {
      assertEquals(4, component.length, component[0]);
      String licence = component[2].split(" ")[0];
      Path text =
          licence.equals("Apache-2.0")
              ? Program.ROOT.resolve("LICENSE")
              : PACKAGING.resolve("licenses/" + licence + ".txt");
      assertTrue(Files.size(text) > 500, component[0]);
    }
  }
}
