import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Completes an installation: removes native libraries of other platforms from its jars, and writes
 * licences and a list of components (CycloneDX 1.6). scripts/package runs this source file.
 *
 * <p>Arguments: the installation's folder, the platform, the version, and the time of the list in
 * seconds since 1970.
 */
final class Contents {
  private static final Path PACKAGING = Path.of("packaging");
  private static final Pattern JAR = Pattern.compile("(.+?)(?:-(\\d.*))?\\.jar");
  private static final Pattern NATIVE =
      Pattern.compile(".*(\\.(so|dylib|jnilib|dll|a)|\\.dSYM/.*)");
  private static final Pattern LICENCE =
      Pattern.compile(
          "(META-INF/(maven/[^/]+/[^/]+/)?)?([A-Za-z]+-)*(LICENSE|NOTICE|ThirdParty|AL2|LGPL|about\\.html)[^/]*");

  /** The names that jars use for the folders of each platform. */
  private static final Map<String, List<String>> FOLDERS =
      Map.of(
          "linux-x64", List.of("/linux-x64/", "/linux-x86_64/", "/linux-x86-64/", "/Linux/x86_64/"),
          "linux-arm64", List.of("/linux-aarch64/", "/Linux/arm64/", "/Linux/aarch64/"),
          "macos-arm64",
              List.of("/osx-aarch64/", "/darwin-aarch64/", "/Mac/arm64/", "/Mac/aarch64/"));

  private record Component(
      String type, String group, String name, String version, String licence, Path file) {
    String purl() {
      return group.isEmpty()
          ? ""
          : "pkg:maven/" + group + "/" + name + "@" + version.replace("+", "%2B");
    }
  }

  private final Path root;
  private final List<String> folders;
  private final String platform;
  private final String version;
  private final Instant time;
  private final List<Component> components = new ArrayList<>();

  private Contents(String[] arguments) {
    root = Path.of(arguments[0]);
    platform = arguments[1];
    folders = FOLDERS.get(platform);
    version = arguments[2];
    time = Instant.ofEpochSecond(Long.parseLong(arguments[3]));
  }

  public static void main(String[] arguments) throws Exception {
    new Contents(arguments).describe();
  }

  private void describe() throws Exception {
    Map<String, String[]> known = new TreeMap<>();
    for (String line : Files.readAllLines(PACKAGING.resolve("components.tsv"))) {
      if (!line.startsWith("#")) {
        known.put(line.split("\t")[0], line.split("\t"));
      }
    }
    List<Path> jars;
    try (Stream<Path> files = Files.list(root.resolve("lib"))) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
    for (Path jar : jars) {
      Matcher name = JAR.matcher(jar.getFileName().toString());
      String[] about = name.matches() ? known.get(name.group(1)) : null;
      if (about == null) {
        throw new IOException(
            "the licence of " + jar + " is unknown; add the jar to packaging/components.tsv");
      }
      String its = name.group(2) == null ? version : name.group(2);
      stripNatives(jar);
      components.add(new Component("library", about[1], about[0], its, about[2], jar));
      copyLicences(jar, about, its);
    }
    addRuntime();
    addCppLibraries();
    writeComponents();
  }

  private void stripNatives(Path jar) throws IOException {
    Path stripped = jar.resolveSibling(jar.getFileName() + ".tmp");
    int kept = 0;
    int left = 0;
    try (JarFile in = new JarFile(jar.toFile());
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(stripped))) {
      out.setLevel(9);
      for (JarEntry entry : in.stream().toList()) {
        if (NATIVE.matcher(entry.getName()).matches()) {
          boolean ours = folders.stream().anyMatch(("/" + entry.getName())::contains);
          if (!ours || entry.getName().contains(".dSYM/")) {
            left++;
            continue;
          }
          kept++;
        }
        JarEntry copy = new JarEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        try (InputStream bytes = in.getInputStream(entry)) {
          bytes.transferTo(out);
        }
        out.closeEntry();
      }
    }
    if (left == 0) {
      Files.delete(stripped);
    } else if (kept == 0) {
      throw new IOException(jar + " has native libraries, but none for " + platform);
    } else {
      Files.move(stripped, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private Path licences(String component) throws IOException {
    return Files.createDirectories(root.resolve("share/doc/helix-bg/licenses").resolve(component));
  }

  private void copyLicences(Path jar, String[] about, String its) throws IOException {
    if (about[1].equals("dev.helixbg")) {
      return; // the file LICENSE beside the folder of licences is enough
    }
    Path folder = licences(about[0]);
    boolean own = false;
    try (JarFile in = new JarFile(jar.toFile())) {
      for (JarEntry entry : in.stream().toList()) {
        if (LICENCE.matcher(entry.getName()).matches()) {
          Path name = Path.of(entry.getName()).getFileName();
          try (InputStream bytes = in.getInputStream(entry)) {
            Files.copy(bytes, folder.resolve(name));
          }
          own |= name.toString().startsWith("LICENSE");
        }
      }
    }
    if (!own) {
      String id = about[2].split(" ")[0];
      Path text =
          id.equals("Apache-2.0")
              ? Path.of("LICENSE")
              : PACKAGING.resolve("licenses/" + id + ".txt");
      Files.writeString(
          folder.resolve("LICENSE"),
          "%s %s\nCopyright (c) %s\nLicence: %s\n\n%s"
              .formatted(about[0], its, about[3], about[2], Files.readString(text)));
    }
  }

  /** Adds the Java runtime as a component. Its licences are in runtime/legal. */
  private void addRuntime() throws IOException {
    Properties release = new Properties();
    try (InputStream file = Files.newInputStream(root.resolve("runtime/release"))) {
      release.load(file);
    }
    components.add(
        new Component(
            "platform",
            "",
            "OpenJDK",
            release.getProperty("JAVA_VERSION").replace("\"", ""),
            "GPL-2.0-only WITH Classpath-exception-2.0",
            root.resolve("runtime/lib/modules")));
  }

  private void addCppLibraries() throws IOException {
    for (String name : List.of("libstdc++.so.6", "libgcc_s.so.1")) {
      Path file = root.resolve("runtime/lib").resolve(name);
      if (Files.exists(file)) {
        String licence = "GPL-3.0-or-later WITH GCC-exception-3.1";
        components.add(new Component("library", "", name, "", licence, file));
      }
    }
  }

  private void writeComponents() throws Exception {
    components.sort(Comparator.comparing(Component::name));
    Path file = root.resolve("share/doc/helix-bg/sbom.cdx.json");
    String all =
        version + platform + components.stream().map(this::line).collect(Collectors.joining());
    DefaultPrettyPrinter pretty = new DefaultPrettyPrinter();
    pretty.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    try (OutputStream out = Files.newOutputStream(file);
        JsonGenerator json = new JsonFactory().createGenerator(out)) {
      json.setPrettyPrinter(pretty);
      json.writeStartObject();
      json.writeStringField("bomFormat", "CycloneDX");
      json.writeStringField("specVersion", "1.6");
      json.writeStringField(
          "serialNumber",
          "urn:uuid:" + UUID.nameUUIDFromBytes(all.getBytes(StandardCharsets.UTF_8)));
      json.writeNumberField("version", 1);
      json.writeObjectFieldStart("metadata");
      json.writeStringField("timestamp", time.toString());
      json.writeObjectFieldStart("component");
      json.writeStringField("type", "application");
      json.writeStringField("bom-ref", "helix-bg");
      json.writeStringField("name", "helix-bg-" + platform);
      json.writeStringField("version", version);
      writeLicence(json, "Apache-2.0");
      json.writeEndObject();
      json.writeEndObject();
      json.writeArrayFieldStart("components");
      for (Component component : components) {
        json.writeStartObject();
        json.writeStringField("type", component.type);
        json.writeStringField("bom-ref", root.relativize(component.file).toString());
        if (!component.group.isEmpty()) {
          json.writeStringField("group", component.group);
        }
        json.writeStringField("name", component.name);
        if (!component.version.isEmpty()) {
          json.writeStringField("version", component.version);
        }
        json.writeArrayFieldStart("hashes");
        json.writeStartObject();
        json.writeStringField("alg", "SHA-256");
        json.writeStringField("content", sha256(component.file));
        json.writeEndObject();
        json.writeEndArray();
        writeLicence(json, component.licence);
        if (!component.purl().isEmpty()) {
          json.writeStringField("purl", component.purl());
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    Files.writeString(file, "\n", java.nio.file.StandardOpenOption.APPEND);
  }

  private static void writeLicence(JsonGenerator json, String expression) throws IOException {
    json.writeArrayFieldStart("licenses");
    json.writeStartObject();
    json.writeStringField("expression", expression);
    json.writeEndObject();
    json.writeEndArray();
  }

  private String line(Component component) {
    try {
      return component.name + component.version + sha256(component.file);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[1 << 16];
      for (int n; (n = in.read(buffer)) > 0; ) {
        digest.update(buffer, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
