package dev.helixbg.daemon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.helixbg.daemon.cli.HelixBg;
import dev.helixbg.daemon.cli.OneShotCommand;
import dev.helixbg.daemon.cli.TidyCommand;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.TerminalProgress;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Set;

/**
 * Checks the import rule: config <- embed, llm <- insight <- daemon, and within each module the
 * order of its packages. Checks also which classes no code may use.
 */
@AnalyzeClasses(
    packages = "dev.helixbg",
    importOptions = {DoNotIncludeTests.class, ArchitectureTest.DoNotIncludeTestJars.class})
class ArchitectureTest {
  /** Leaves out the jars with the test classes of other modules. */
  static final class DoNotIncludeTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  /** Edit this when a package comes or goes; docs/ARCHITECTURE.md has a line for each. */
  private static final List<ReadingOrder.Module> MODULES =
      List.of(
          new ReadingOrder.Module(
              "config", List.of(), List.of("text", "files", "natives", "x86", "faults", ".")),
          new ReadingOrder.Module(
              "embed", List.of("config"), List.of("store", "encoder", "onnx", "cache", ".")),
          new ReadingOrder.Module(
              "llm",
              List.of("config"),
              List.of(
                  "tensor",
                  "gguf",
                  "tokenizer",
                  "backend",
                  "backend.host",
                  "backend.scalar",
                  "cpu.lanes",
                  "cpu.kernel",
                  "cpu.kernel.narrow",
                  "cpu.kernel.tile",
                  "cpu.kernel.attention",
                  "cpu.x86",
                  "cpu.kernel.row",
                  "cpu",
                  "gpu.driver",
                  "gpu.metal",
                  "gpu.cuda",
                  "gpu",
                  "model",
                  "generate",
                  ".")),
          new ReadingOrder.Module(
              "insight",
              List.of("config", "embed", "llm"),
              List.of(
                  "log",
                  "notes",
                  "similarity",
                  "terms",
                  "findings",
                  "pairs",
                  "sources",
                  "search",
                  "decisions",
                  "label",
                  "judge",
                  "agents",
                  "lessons",
                  "acts",
                  "report")),
          new ReadingOrder.Module(
              "daemon",
              List.of("config", "embed", "llm", "insight"),
              List.of(
                  "terminal",
                  "control",
                  "kb",
                  "host",
                  "run",
                  "search",
                  "watch",
                  "idle",
                  "link",
                  "service",
                  "server",
                  "mcp",
                  "tidy",
                  "cli.flags",
                  "cli")));

  private static final ReadingOrder ORDER = new ReadingOrder(MODULES);

  @ArchTest static final ArchRule packagesUseOnlyThoseBeforeThem = classes().should(ORDER);

  @ArchTest
  static void everyPackageIsListedAndEveryListedOneIsThere(JavaClasses classes) {
    assertEquals(Set.of(), ORDER.mistakes(classes));
  }

  /** A connection over the network needs one of these; a local socket needs none. */
  @ArchTest
  static final ArchRule nothingOpensConnections =
      noClasses()
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(
              InetAddress.class, InetSocketAddress.class, Socket.class, HttpURLConnection.class)
          .orShould()
          .dependOnClassesThat()
          .resideInAPackage("java.net.http..");

  @ArchTest
  static final ArchRule onlyTheConsoleHoldsTheStandardStreams =
      noClasses()
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err");

  /** Other classes must use the console's streams, which let only printable text through. */
  @ArchTest
  static final ArchRule fewWriteToTerminalsUnfiltered =
      noClasses()
          .that()
          .doNotBelongToAnyOf(
              Console.class,
              TerminalProgress.class,
              TidyCommand.class,
              OneShotCommand.class,
              HelixBg.class)
          .should()
          .callMethod(Console.class, "coloured")
          .orShould()
          .callMethod(Console.class, "bars");
}
