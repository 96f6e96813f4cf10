package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class NoNetworkTest {

  private static final Set<String> NETWORK =
      Set.of("socket", "connect", "getaddrinfo", "gethostbyname", "sendto", "sendmsg", "send");

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
