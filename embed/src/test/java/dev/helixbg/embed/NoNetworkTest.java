package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NoNetworkTest {

  private static final Set<String> NETWORK =
      Set.of("socket", "connect", "getaddrinfo", "gethostbyname", "sendto", "sendmsg", "send");

  @TempDir Path cache;

  @Test
  void onnxRuntimeForLinuxImportsNoNetworkFunction() throws IOException {
    for (String platform : List.of("linux-x64", "linux-aarch64")) {
      for (String library : List.of("libonnxruntime.so", "libonnxruntime4j_jni.so")) {
        Set<String> imports = imports("/ai/onnxruntime/native/" + platform + "/" + library);
        assertTrue(imports.contains("memcpy") || imports.contains("strlen"), "found the imports");
        imports.retainAll(NETWORK);
        assertEquals(Set.of(), imports, platform + "/" + library);
      }
    }
  }

  /**
   * The tokenizer's library imports network functions, for downloads that helix-bg never requests.
   * This test therefore embeds in another process, whose environment tells the library DJL to use
   * the network, and records the system calls of that process.
   */
  @Test
  void embeddingTalksToNobodyAndWritesOnlyToCacheAndTemp() throws Exception {
    Path strace = Path.of("/usr/bin/strace");
    assumeTrue(Files.isExecutable(strace), "strace is not installed");
    Path log = cache.resolve("strace.log");
    Path temp = Files.createDirectory(cache.resolve("temp"));
    String calls =
        "trace=connect,sendto,sendmsg,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2";
    List<String> command = new ArrayList<>();
    command.addAll(List.of(strace.toString(), "-f", "-qq", "-s", "300", "-e", calls, "-o"));
    command.add(log.toString());
    // With UsePerfData, the JVM would write to /tmp/hsperfdata.
    List<String> options = List.of("-XX:-UsePerfData", "-Djava.io.tmpdir=" + temp);
    String cached = cache.resolve("cache").toString();
    command.addAll(ForkedJvm.command(options, Embedding.class, cached));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("DJL_OFFLINE", "false");
    builder.environment().put("OPT_OUT_TRACKING", "false");
    builder.environment().put("RUST_FLAVOR", "cu122");
    builder.environment().put("DJL_CACHE_DIR", "/nonexistent");
    assertEquals(0, builder.start().waitFor());

    Pattern written =
        Pattern.compile("(?:mkdir|rename|creat|openat?)\\w*\\(.*?\"([^\"]*)\".*?\\).*= \\d+");
    int writes = 0;
    for (String line : Files.readAllLines(log)) {
      // Opening a socket is allowed: the JDK does it to check whether the machine supports IPv4 and
      // IPv6.
      boolean talks = line.contains("connect(") || line.contains("send");
      assertTrue(!talks || line.contains("AF_UNIX"), line);
      boolean isWrite =
          line.contains("O_WRONLY")
              || line.contains("O_RDWR")
              || line.contains("O_CREAT")
              || !line.contains("open");
      Matcher path = written.matcher(line);
      if (isWrite && path.find()) {
        writes++;
        String target = path.group(1);
        boolean allowed =
            target.startsWith(cache.toString())
                || target.startsWith("/dev/")
                || target.startsWith("/proc/self/");
        assertTrue(allowed, line);
      }
    }
    assertTrue(writes > 5, "saw the files being written");
  }

  static final class Embedding {
    public static void main(String[] arguments) throws InterruptedException {
      var settings = TestModels.settings(Path.of("none"), Precision.FP32, 256);
      try (MiniLm model = EmbeddingModel.locate(settings, Path.of(arguments[0]), 2).open()) {
        model.embedAll(ProbeTexts.TEXTS);
      }
    }
  }

  /** Returns the names of the undefined symbols in an ELF64 library's dynamic symbol table. */
  private static Set<String> imports(String resource) throws IOException {
    byte[] bytes;
    try (InputStream in = NoNetworkTest.class.getResourceAsStream(resource)) {
      bytes = in.readAllBytes();
    }
    ByteBuffer elf = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(0x464C457F, elf.getInt(0), "ELF");
    int sections = (int) elf.getLong(0x28);
    int sectionBytes = elf.getShort(0x3A);
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < elf.getShort(0x3C); i++) {
      int section = sections + i * sectionBytes;
      if (elf.getInt(section + 4) == 11) { // SHT_DYNSYM
        int strings = sections + elf.getInt(section + 0x28) * sectionBytes;
        int text = (int) elf.getLong(strings + 0x18);
        int symbols = (int) elf.getLong(section + 0x18);
        int end = symbols + (int) elf.getLong(section + 0x20);
        for (int symbol = symbols; symbol < end; symbol += 24) {
          if (elf.getShort(symbol + 6) == 0) { // SHN_UNDEF
            names.add(zeroTerminated(bytes, text + elf.getInt(symbol)));
          }
        }
      }
    }
    return names;
  }

  private static String zeroTerminated(byte[] bytes, int from) {
    int to = from;
    while (bytes[to] != 0) {
      to++;
    }
    return new String(bytes, from, to - from, StandardCharsets.US_ASCII);
  }
}
