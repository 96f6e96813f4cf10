package dev.helixbg.daemon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * The import rule: config <- embed, llm <- insight <- daemon, and what may not be used anywhere.
 */
@AnalyzeClasses(
    packages = "dev.helixbg",
    importOptions = {DoNotIncludeTests.class, ArchitectureTest.DoNotIncludeTestJars.class})
class ArchitectureTest {
  /** The fixtures of other modules come in jars of their own. */
  static final class DoNotIncludeTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  @ArchTest
  static final ArchRule configKnowsNoOtherModule =
      noClasses()
          .that()
          .resideInAPackage("dev.helixbg.config..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.helixbg.embed..",
              "dev.helixbg.llm..",
              "dev.helixbg.insight..",
              "dev.helixbg.daemon..");

  @ArchTest
  static final ArchRule embedKnowsOnlyConfig =
      noClasses()
          .that()
          .resideInAPackage("dev.helixbg.embed..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.helixbg.llm..", "dev.helixbg.insight..", "dev.helixbg.daemon..");

  @ArchTest
  static final ArchRule llmKnowsOnlyConfig =
      noClasses()
          .that()
          .resideInAPackage("dev.helixbg.llm..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.helixbg.embed..", "dev.helixbg.insight..", "dev.helixbg.daemon..");

  @ArchTest
  static final ArchRule insightDoesNotKnowTheProgram =
      noClasses()
          .that()
          .resideInAPackage("dev.helixbg.insight..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.helixbg.daemon..");

  @ArchTest
  static final ArchRule findingsKnowNoReports =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.helixbg.insight.findings..",
              "dev.helixbg.insight.similarity..",
              "dev.helixbg.insight.log..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.helixbg.insight.report..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("dev.helixbg.(**)").should().beFreeOfCycles();

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

  /** Everybody else's streams let printable text through only. */
  @ArchTest
  static final ArchRule fewWriteToTerminalsUnfiltered =
      noClasses()
          .that()
          .doNotBelongToAnyOf(Console.class, Progress.class, OneShotCommand.class, HelixBg.class)
          .should()
          .callMethod(Console.class, "coloured")
          .orShould()
          .callMethod(Console.class, "bars");
}
