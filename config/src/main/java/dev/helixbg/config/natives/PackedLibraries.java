package dev.helixbg.config.natives;

import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/**
 * Native libraries that come inside jars, unpacked once into the cache folder: their own loaders
 * would unpack them into the temp folder at each start.
 */
public final class PackedLibraries {
  private PackedLibraries() {}

  /**
   * Puts libraries beside each other where they are not yet, or are damaged.
   *
   * @param cacheFolder gets {@code natives/NAME-CHECKSUM}, the checksum being that of the first
   *     file
   * @param resources folder on the class path
   * @param files names in it, as {@link System#mapLibraryName} gives them
   * @return the folder that holds them
   * @throws IOException if there are none for this platform, or they cannot be unpacked; the
   *     message says what to do
   */
  public static Path unpack(Path cacheFolder, String name, String resources, List<String> files)
      throws IOException {
    Path natives = cacheFolder.resolve("natives").toAbsolutePath();
    URL first = find(resources, files.getFirst());
    try {
      Path folder = natives.resolve(name + "-" + Long.toHexString(Checksum.of(first).crc32));
      PrivateFiles.makeTrustedFolder(cacheFolder.toAbsolutePath(), folder);
      for (String file : files) {
        URL packed = find(resources, file);
        Path target = folder.resolve(file);
        if (!isThere(target, Checksum.of(packed))) {
          replace(target, packed);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new IOException(
          "%s cannot be unpacked into %s: %s. Check its permissions and the free space, or set another cache folder"
              .formatted(name, natives, e),
          e);
    }
  }

  /** {@code linux}, {@code osx} or {@code win}, as all jars with natives call them. */
  public static String os() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.contains("mac") ? "osx" : name.contains("win") ? "win" : "linux";
  }

  public static boolean isArm() {
    return System.getProperty("os.arch").equals("aarch64");
  }

  private static URL find(String resources, String file) throws IOException {
    URL packed = PackedLibraries.class.getResource(resources + "/" + file);
    if (packed == null) {
      throw new IOException(
          "there is no %s for this platform (%s %s): helix-bg runs on Linux x64 and aarch64 and on macOS aarch64"
              .formatted(file, System.getProperty("os.name"), System.getProperty("os.arch")));
    }
    return packed;
  }

  /**
   * Whether a library is there and whole. It has tens of megabytes, so that this is remembered in a
   * note beside it, for as long as the file stays the one that was read.
   */
  private static boolean isThere(Path target, Checksum packed) throws IOException {
    if (!Files.isRegularFile(target) || Files.size(target) != packed.bytes) {
      return false;
    }
    FileState state = FileState.of(target);
    String whole = Long.toHexString(packed.crc32) + "\n" + state.linesAt(target.toRealPath());
    Path note = target.resolveSibling(target.getFileName() + ".whole");
    if (Files.isRegularFile(note)
        && new String(Files.readAllBytes(note), StandardCharsets.UTF_8).equals(whole)) {
      return true;
    }
    if (!packed.matches(target)) {
      return false;
    }
    if (state.isSettled()) {
      try {
        replace(note, new ByteArrayInputStream(whole.getBytes(StandardCharsets.UTF_8)));
      } catch (IOException e) {
        // It is whole all the same, in a folder that cannot be written.
      }
    }
    return true;
  }

  private static void replace(Path target, URL packed) throws IOException {
    try (InputStream in = packed.openStream()) {
      replace(target, in);
    }
  }

  /** In one step: another process may do the same, or have the old file loaded. */
  private static void replace(Path target, InputStream content) throws IOException {
    Path temporary = Files.createTempFile(target.getParent(), ".", ".tmp");
    try {
      try (OutputStream out = Files.newOutputStream(temporary)) { // which keeps its mode of 0600
        content.transferTo(out);
      }
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /** Size and CRC-32 of a file, as a jar records them for its entries. */
  private record Checksum(long bytes, long crc32) {

    static Checksum of(URL resource) throws IOException {
      URLConnection connection = resource.openConnection();
      if (connection instanceof JarURLConnection jar) {
        JarEntry entry = jar.getJarEntry();
        return new Checksum(entry.getSize(), entry.getCrc());
      }
      try (InputStream in = connection.getInputStream()) {
        return of(in);
      }
    }

    static Checksum of(InputStream in) throws IOException {
      CheckedInputStream checked = new CheckedInputStream(in, new CRC32());
      long bytes = checked.transferTo(OutputStream.nullOutputStream());
      return new Checksum(bytes, checked.getChecksum().getValue());
    }

    boolean matches(Path file) throws IOException {
      try (InputStream in = Files.newInputStream(file)) {
        return of(in).equals(this);
      }
    }
  }
}
