package dev.helixbg.daemon.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.ExternalTool;
import dev.helixbg.daemon.service.ServicePlan.Action;
import dev.helixbg.daemon.terminal.Failure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/** Tests the plist and the unit file as service managers read them. */
class ServiceFilesTest {
  @TempDir Path folder;

  private ServiceSpec spec(Path kb) {
    return new ServiceSpec(
        Path.of("/home/ada"),
        Path.of("/usr/bin/env"), // systemd-analyze requires a program that exists
        new ServiceRequest(
            List.of(kb.toString()),
            List.of(),
            "/home/ada/my settings.toml",
            Map.of("embed.max_tokens", "128", "threads", "2"),
            Map.of("HELIX_BG_LLM_SECONDS", "5")),
        List.of(kb, Path.of("/home/ada/.helix")),
        Path.of("/home/ada/.helix/logs 100%/service.err"));
  }

  /** Parses a plist as plutil does, by the rules of the DTD; returns its value. */
  private static Object plist(String xml) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    DocumentBuilder builder = factory.newDocumentBuilder();
    builder.setEntityResolver(
        (publicId, systemId) -> new InputSource(new ByteArrayInputStream(new byte[0])));
    Element root =
        builder
            .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)))
            .getDocumentElement();
    assertEquals("plist", root.getTagName());
    assertEquals("1.0", root.getAttribute("version"));
    List<Element> children = children(root);
    assertEquals(1, children.size());
    return value(children.getFirst());
  }

  private static Object value(Element element) {
    return switch (element.getTagName()) {
      case "string" -> element.getTextContent();
      case "integer" -> Integer.valueOf(element.getTextContent());
      case "true" -> true;
      case "false" -> false;
      case "array" -> children(element).stream().map(ServiceFilesTest::value).toList();
      case "dict" -> {
        Map<String, Object> dict = new LinkedHashMap<>();
        List<Element> children = children(element);
        for (int i = 0; i < children.size(); i += 2) {
          assertEquals("key", children.get(i).getTagName());
          Object before = dict.put(children.get(i).getTextContent(), value(children.get(i + 1)));
          assertEquals(null, before, "a key twice");
        }
        yield dict;
      }
      default -> throw new AssertionError("no element of a plist: " + element.getTagName());
    };
  }

  private static List<Element> children(Element element) {
    List<Element> children = new ArrayList<>();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child) {
        children.add(child);
      }
    }
    return children;
  }

  @Test
  void thePlistSaysWhatLaunchdIsToDo() throws Exception {
    Path kb = Path.of("/home/ada/notes & <more>");
    ServiceSpec spec = spec(kb);
    assertEquals(
        Map.ofEntries(
            Map.entry("Label", "dev.helixbg.daemon"),
            Map.entry(
                "ProgramArguments",
                List.of(
                    "/usr/bin/env",
                    "daemon",
                    "--config",
                    "/home/ada/my settings.toml",
                    "--set",
                    "embed.max_tokens=128",
                    "--set",
                    "threads=2",
                    kb.toString())),
            Map.entry("LimitLoadToSessionType", List.of("Aqua", "Background")),
            Map.entry("RunAtLoad", true),
            Map.entry("KeepAlive", Map.of("SuccessfulExit", false)),
            Map.entry("ThrottleInterval", 30),
            Map.entry("ExitTimeOut", 5),
            Map.entry("Nice", 10),
            Map.entry("LowPriorityIO", true),
            Map.entry("WorkingDirectory", "/home/ada"),
            Map.entry(
                "EnvironmentVariables",
                Map.of("HELIX_BG_LLM_SECONDS", "5", "HELIX_BG_LAUNCHER_SERVICE", "launchd")),
            Map.entry("StandardErrorPath", "/home/ada/.helix/logs 100%/service.err")),
        plist(LaunchdPlist.of(spec)));
  }

  /**
   * launchd ignores the values of exit codes. An end after which it must not restart must look like
   * a success.
   */
  @Test
  void whatIsFinalIsNotStartedAgain() {
    assertTrue(unit(Path.of("/kb")).contains("\nRestartPreventExitStatus=2 3 4\n"));
    for (int code : List.of(0, 1, 2, 3, 4, 5, 6, 130)) {
      boolean last = code >= 2 && code <= 4;
      assertEquals(last ? 0 : code, ServiceSpec.exitCode(code, "launchd"));
      assertEquals(code, ServiceSpec.exitCode(code, "systemd"));
      assertEquals(code, ServiceSpec.exitCode(code, null));
    }
  }

  @Test
  void whatNoUnitCanHoldIsRefused() {
    Failure failure = assertThrows(Failure.class, () -> spec(Path.of("/kb\nExecStart=/bin/false")));
    assertTrue(failure.getMessage().contains("control characters"), failure.getMessage());
  }

  private String unit(Path kb) {
    return SystemdUnit.of(spec(kb));
  }

  @Test
  void theUnitSaysWhatSystemdIsToDo() {
    String unit = SystemdUnit.of(spec(Path.of("/home/ada/100% \"mine\" $HOME")));
    for (String line :
        List.of(
            "Restart=on-failure",
            "SuccessExitStatus=143",
            "NoNewPrivileges=yes",
            "ProtectSystem=strict",
            "ReadWritePaths=-/home/ada/.helix",
            "ReadWritePaths=\"-/home/ada/100%% \\\"mine\\\" $HOME\"",
            "Environment=HELIX_BG_LAUNCHER_SERVICE=systemd",
            "ConditionFileIsExecutable=/usr/bin/env",
            "Environment=HELIX_BG_LLM_SECONDS=5",
            "StandardError=append:/home/ada/.helix/logs 100%%/service.err",
            "WantedBy=default.target")) {
      assertTrue(unit.lines().anyMatch(line::equals), line + " in\n" + unit);
    }
    assertTrue(
        unit.contains(
            "\nExecStart=/usr/bin/env daemon --config \"/home/ada/my settings.toml\""
                + " --set embed.max_tokens=128 --set threads=2"
                + " \"/home/ada/100%% \\\"mine\\\" $$HOME\"\n"),
        unit);
    List<String> install =
        ServicePlan.systemd(Action.INSTALL, Optional.of(spec(Path.of("/kb"))), Path.of("/home/ada"))
            .stream()
            .map(ServiceStep::shown)
            .toList();
    String written = "would write /home/ada/.config/systemd/user/helix-bg.service\n";
    assertTrue(install.getFirst().startsWith(written), install.getFirst());
    assertTrue(install.getLast().contains("loginctl enable-linger"));
  }

  /** A failed installation can be undone even without systemd. */
  @Test
  void aProgramThatIsMissingKeepsNothing() throws Exception {
    for (String command : List.of("/no/such/program", "false")) {
      ServiceStep.maybe(command).deed().take(System.out);
      assertThrows(Failure.class, () -> ServiceStep.run(command).deed().take(System.out));
    }
  }

  @Test
  void theSocketOfSystemdIsFoundWithoutASession() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self")), "systemd is Linux's");
    String user = Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
    Map<String, String> environment = new HashMap<>();
    ServiceStep.addRuntimeFolder(environment, folder);
    assertEquals(Map.of(), environment);
    Path own = Files.createDirectory(folder.resolve(user));
    ServiceStep.addRuntimeFolder(environment, folder);
    assertEquals(Map.of("XDG_RUNTIME_DIR", own.toString()), environment);
    environment.put("XDG_RUNTIME_DIR", "/named");
    ServiceStep.addRuntimeFolder(environment, folder);
    assertEquals("/named", environment.get("XDG_RUNTIME_DIR"));
  }

  @Test
  void systemdItselfAcceptsTheUnit() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "no systemd here");
    Path unit = folder.resolve(ServiceSpec.UNIT);
    Path kb = Files.createDirectories(folder.resolve("my kb $x 100%"));
    Files.writeString(unit, SystemdUnit.of(spec(kb)));
    ProcessBuilder analyze =
        new ProcessBuilder("systemd-analyze", "--user", "verify", unit.toString());
    analyze.environment().put("XDG_RUNTIME_DIR", folder.toString());
    String said = ExternalTool.said(analyze);
    assertFalse(said.contains(ServiceSpec.UNIT), said);
  }
}
