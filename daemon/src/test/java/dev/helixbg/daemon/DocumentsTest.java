package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that files and types that documents name exist, and that text lines have one width. */
class DocumentsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /**
   * Maximum columns of a text line, except in tables, code and HTML. A single word may be longer.
   */
  private static final int COLUMNS = 120;

  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(?:#[^)]*)?\\)");
  private static final Pattern TYPE =
      Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\\.\\w+)?`");
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");

  /** Names of types, options and settings that belong to other programs. */
  private static final Set<String> FOREIGN =
      Set.of(
          "Arena",
          "CancellationException",
          "CompileThresholdScaling",
          "ConditionFileIsExecutable",
          "Error",
          "ExitTimeOut",
          "FileChannel",
          "FileDescriptor",
          "Host",
          "HuggingFaceTokenizer",
          "IgnoreUnrecognizedVMOptions",
          "Int512Vector",
          "KeepAlive",
          "MTLSize",
          "MatMulNBits",
          "Math",
          "McpServerTransportProvider",
          "MemorySegment",
          "NoNewPrivileges",
          "PrivateTmp",
          "ProtectSystem",
          "Random",
          "RestartPreventExitStatus",
          "SecureDirectoryStream",
          "SuccessfulExit",
          "Tier0ProfilingStartPercentage",
          "Tier3DelayOn",
          "Tier4BackEdgeThreshold",
          "TokenizersLibrary",
          "WatchService");

  /** Returns the documents that are kept up to date; archived documents stay unchanged. */
  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
          .filter(path -> path.toString().endsWith(".md"))
          .filter(path -> !path.toString().endsWith("-archive.md"))
          .sorted()
          .toList();
    }
  }

  @Test
  void linksLeadToFiles() throws IOException {
    List<String> dead = new ArrayList<>();
    for (Path document : documents()) {
      LINK.matcher(Files.readString(document).replaceAll("`[^`]*`", ""))
          .results()
          .map(link -> link.group(1))
          .filter(target -> !target.contains("://"))
          .filter(target -> !Files.exists(document.resolveSibling(target)))
          .forEach(target -> dead.add(ROOT.relativize(document) + ": " + target));
    }
    assertEquals(List.of(), dead);
  }

  @Test
  void typesThatAreNamedExist() throws IOException {
    Set<String> declared = declared();
    List<String> unknown = new ArrayList<>();
    for (Path document : documents()) {
      TYPE.matcher(Files.readString(document))
          .results()
          .map(MatchResult::group)
          .map(name -> name.replaceAll("[`]|\\..*", ""))
          .filter(name -> !declared.contains(name) && !FOREIGN.contains(name))
          .forEach(name -> unknown.add(ROOT.relativize(document) + ": " + name));
    }
    assertEquals(List.of(), unknown);
  }

  private static Set<String> declared() throws IOException {
    Set<String> declared = new HashSet<>();
    for (String module : List.of("config", "embed", "llm", "insight", "daemon")) {
      try (Stream<Path> sources = Files.walk(ROOT.resolve(module).resolve("src"))) {
        for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
          DECLARED
              .matcher(Files.readString(source))
              .results()
              .forEach(r -> declared.add(r.group(1)));
        }
      }
    }
    assertTrue(declared.size() > 500, "types found: " + declared.size());
    return declared;
  }

  @Test
  void linesOfTextHaveOneWidth() throws IOException {
    List<String> wide = new ArrayList<>();
    for (Path document : documents()) {
      boolean code = false;
      int number = 0;
      for (String line : Files.readAllLines(document)) {
        number++;
        code ^= line.strip().startsWith("```");
        boolean text = !code && !line.matches("\\s*[|<>#].*");
        if (text && line.length() > COLUMNS && line.lastIndexOf(' ') > COLUMNS) {
          wide.add(ROOT.relativize(document) + ":" + number + " has " + line.length());
        }
      }
    }
    assertEquals(List.of(), wide);
  }
}
