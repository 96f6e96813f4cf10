package dev.helixbg.daemon.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.service.ServicePlan.Action;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/** Plist and unit as their service managers read them. */
class ServiceFilesTest {
  @TempDir Path folder;

  private ServiceSpec spec(Path kb) {
    return new ServiceSpec(
        Path.of("/home/ada"),
        Path.of(System.getProperty("java.home"), "bin/java"),
        List.of("-XX:+UseSerialGC", "-Xms16m"),
        Path.of("/opt/helix bg/lib/helix-bg.jar"),
        List.of(kb),
        List.of(kb, Path.of("/home/ada/.helix")),
        Path.of("/home/ada/.helix/logs"),
        new TreeMap<>(Map.of("HELIX_BG_THREADS", "2")));
  }

  /** As plutil reads it: a plist of one value, by the DTD's rules. */
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
                    spec.java().toString(),
                    "-XX:+UseSerialGC",
                    "-Xms16m",
                    "-jar",
                    "/opt/helix bg/lib/helix-bg.jar",
                    "daemon",
                    kb.toString())),
            Map.entry("RunAtLoad", true),
            Map.entry("KeepAlive", Map.of("SuccessfulExit", false)),
            Map.entry("ThrottleInterval", 30),
            Map.entry("ExitTimeOut", 5),
            Map.entry("Nice", 10),
            Map.entry("LowPriorityIO", true),
            Map.entry("WorkingDirectory", "/home/ada"),
            Map.entry("EnvironmentVariables", Map.of("HELIX_BG_THREADS", "2")),
            Map.entry("StandardOutPath", "/home/ada/.helix/logs/service.out"),
            Map.entry("StandardErrorPath", "/home/ada/.helix/logs/service.err")),
        plist(LaunchdPlist.of(spec)));
  }

  @Test
  void thePlistIsNamedByItsLabelAndTheCommandsFit() {
    ServiceSpec spec = spec(Path.of("/home/ada/kb"));
    List<ServicePlan.Step> steps = ServicePlan.launchd(Action.INSTALL, spec, 501).steps();
    Path plist = Path.of("/home/ada/Library/LaunchAgents/dev.helixbg.daemon.plist");
    assertEquals(new ServicePlan.Write(plist, LaunchdPlist.of(spec)), steps.getFirst());
    assertEquals(
        List.of("launchctl", "bootstrap", "gui/501", plist.toString()), command(steps.get(2)));
    String service = "gui/501/dev.helixbg.daemon";
    assertEquals(
        List.of("launchctl", "bootout", service),
        command(ServicePlan.launchd(Action.STOP, spec, 501).steps().getFirst()));
    assertEquals(
        List.of("launchctl", "kickstart", "-k", service),
        command(ServicePlan.launchd(Action.RESTART, spec, 501).steps().getFirst()));
    assertEquals(
        List.of("launchctl", "print", service),
        command(ServicePlan.launchd(Action.STATUS, spec, 501).steps().getFirst()));
    assertEquals(
        new ServicePlan.Delete(plist),
        ServicePlan.launchd(Action.UNINSTALL, spec, 501).steps().get(1));
  }

  private static List<String> command(ServicePlan.Step step) {
    return ((ServicePlan.Run) step).command();
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
            "ReadWritePaths=\"-/home/ada/.helix\"",
            "ReadWritePaths=\"-/home/ada/100%% \\\"mine\\\" $HOME\"",
            "Environment=\"HELIX_BG_THREADS=2\"",
            "WantedBy=default.target")) {
      assertTrue(unit.lines().anyMatch(line::equals), line + " in\n" + unit);
    }
    assertTrue(unit.contains(" daemon \"/home/ada/100%% \\\"mine\\\" $$HOME\"\n"), unit);
    assertFalse(unit.contains("\"daemon\""), unit);
    List<ServicePlan.Step> install =
        ServicePlan.systemd(Action.INSTALL, spec(Path.of("/kb")), Path.of("/home/ada/.config"))
            .steps();
    assertEquals(
        Path.of("/home/ada/.config/systemd/user/helix-bg.service"),
        ((ServicePlan.Write) install.getFirst()).file());
    assertTrue(((ServicePlan.Say) install.getLast()).words().contains("loginctl enable-linger"));
  }

  @Test
  void systemdItselfAcceptsTheUnit() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "no systemd here");
    Path unit = folder.resolve(ServiceSpec.UNIT);
    Path kb = Files.createDirectories(folder.resolve("my kb $x 100%"));
    Files.writeString(unit, SystemdUnit.of(spec(kb)));
    ProcessBuilder analyze =
        new ProcessBuilder("systemd-analyze", "--user", "verify", unit.toString())
            .redirectErrorStream(true);
    analyze.environment().put("XDG_RUNTIME_DIR", folder.toString());
    Process verify = analyze.start();
    String said = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, verify.waitFor(), said);
    assertFalse(said.contains(ServiceSpec.UNIT), said);
  }
}
