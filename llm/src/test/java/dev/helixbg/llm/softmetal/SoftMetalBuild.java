package dev.helixbg.llm.softmetal;

import dev.helixbg.config.UserDirectories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Compiles llm/src/test/softmetal with g++, again only if the sources, the compilers or the kind of
 * processor changed. The library is in llm/target/softmetal. Compiled files, including kernels, are
 * in the user's cache, which all checkouts share.
 */
final class SoftMetalBuild {
  private static final Path SOURCES = Path.of("llm", "src", "test", "softmetal");
  private static final String NAME = "libsoftmetal.so";

  private static final List<String> FLAGS =
      List.of(
          "-std=c++20",
          "-O2",
          "-march=native",
          "-ftls-model=initial-exec",
          "-fPIC",
          "-shared",
          "-Wl,-soname,"
              + NAME, // kernels refer to the library by this name, so any copy of it can be loaded
          "-fvisibility=hidden",
          "-Wall",
          "-Wextra");

  private static final List<String> TOOLS = List.of("g++", "clang++-19", "ld.lld-19");

  private SoftMetalBuild() {}

  /** Returns the library's file; builds the library if it is out of date. */
  static Path library() {
    requireTools();
    Path project = project();
    Path sources = project.resolve(SOURCES);
    UserDirectories user =
        UserDirectories.of(
            System.getenv(), System.getProperty("user.home"), System.getProperty("os.name"));
    try {
      String hash = hash(sources);
      Path shared = user.defaultCache().resolve("softmetal").resolve(hash);
      Path kernels = Files.createDirectories(shared.resolve("kernels"));
      Path folder = project.resolve("llm/target/softmetal").resolve(hash);
      Path library = folder.resolve(NAME);
      try (FileChannel lock =
              FileChannel.open(
                  shared.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var held = lock.lock()) {
        if (held.isValid() && !Files.exists(library)) {
          Files.createDirectories(folder.resolve("include"));
          for (Path header : files(sources.resolve("include"))) {
            Files.copy(
                header,
                folder.resolve("include").resolve(header.getFileName()),
                StandardCopyOption.REPLACE_EXISTING);
          }
          Files.deleteIfExists(folder.resolve("kernels"));
          Files.createSymbolicLink(folder.resolve("kernels"), kernels);
          if (!Files.exists(shared.resolve(NAME))) {
            compile(sources, shared.resolve(NAME));
          }
          Path copy = folder.resolve("unfinished.so");
          Files.copy(shared.resolve(NAME), copy, StandardCopyOption.REPLACE_EXISTING);
          Files.move(copy, library, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      return library;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void requireTools() {
    String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!system.equals("Linux amd64")) {
      throw new SoftMetalUnavailableException(
          "the software Metal runs on Linux amd64, not on " + system);
    }
    for (String tool : TOOLS) {
      if (found(tool).isEmpty()) {
        throw new SoftMetalUnavailableException(
            tool
                + " is missing, which the software Metal is built with: apt-get install g++"
                + " clang-19 lld-19");
      }
    }
  }

  private static Optional<Path> found(String tool) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Path project() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve(SOURCES))) {
        return at;
      }
    }
    throw new SoftMetalUnavailableException(
        SOURCES + " is not in or above " + Path.of("").toAbsolutePath());
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.filter(Files::isRegularFile).sorted().toList();
    }
  }

  // Kernels are compiled for this kind of processor, so the hash includes the processor.
  private static String hash(Path sources) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(FLAGS.toString().getBytes(StandardCharsets.UTF_8));
      for (String tool : TOOLS) { // A different tool has a different size or time.
        Path file = found(tool).orElseThrow().toRealPath();
        String state = file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
        digest.update(state.getBytes(StandardCharsets.UTF_8));
      }
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name") || line.startsWith("flags")) {
          digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
      }
      for (Path folder : List.of(sources, sources.resolve("include"))) {
        for (Path file : files(folder)) {
          digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
          digest.update(Files.readAllBytes(file));
        }
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void compile(Path sources, Path library) throws IOException {
    Path unfinished = library.resolveSibling("unfinished.so");
    List<String> command = new ArrayList<>(List.of("g++"));
    command.addAll(FLAGS);
    command.addAll(List.of("-o", unfinished.toString()));
    // Compiled as one file: compiling the headers, which most files include, takes most of the
    // time.
    StringBuilder all = new StringBuilder();
    for (Path source : files(sources)) {
      if (source.toString().endsWith(".cpp")) {
        all.append("#include \"").append(source).append("\"\n");
      } else if (source.toString().endsWith(".S")) {
        command.add(source.toString());
      }
    }
    command.add(Files.writeString(library.resolveSibling("all.cpp"), all).toString());
    command.addAll(List.of("-ldl", "-lpthread"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0 || !output.isBlank()) {
        throw new IllegalStateException("the software Metal does not compile cleanly:\n" + output);
      }
    } catch (InterruptedException e) {
      process.destroy();
      throw new IllegalStateException(e);
    }
    Files.move(unfinished, library, StandardCopyOption.ATOMIC_MOVE);
  }
}
