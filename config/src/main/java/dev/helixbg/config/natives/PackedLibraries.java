package dev.helixbg.config.natives;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.jar.JarEntry;

/**
 * Unpacks native libraries from their jars into the cache folder, once. Without this class, the
 * loader of each library would unpack it into the temp folder at each start.
 */
public final class PackedLibraries {
  private PackedLibraries() {}

  /**
   * Unpacks libraries into one folder, unless files of the right size are already there.
   *
   * @param cacheFolder folder in which this method makes the folder {@code natives/NAME-CHECKSUM},
   *     where CHECKSUM is the CRC-32 of the first file
   * @param resources folder of the libraries on the class path
   * @param files names of the files, as {@link System#mapLibraryName} returns them
   * @return the folder of the unpacked libraries
   * @throws IOException if there are no libraries for this platform, or they cannot be unpacked;
   *     the message names a remedy
   */
  public static Path unpack(Path cacheFolder, String name, String resources, List<String> files)
      throws IOException {
    Path natives = cacheFolder.resolve("natives").toAbsolutePath();
    URL first = find(resources, files.getFirst());
    try {
      Path folder = natives.resolve(name + "-" + Long.toHexString(entry(first).getCrc()));
      PrivateFiles.makeTrustedFolder(cacheFolder.toAbsolutePath(), folder);
      for (String file : files) {
        URL packed = find(resources, file);
        Path target = folder.resolve(file);
        if (!Files.isRegularFile(target) || Files.size(target) != entry(packed).getSize()) {
          unpack(packed, target);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new IOException(
          "%s cannot be unpacked into %s: %s. Check the folder's permissions and the free space, or set another cache folder"
              .formatted(name, natives, PrivateFiles.reason(e)),
          e);
    }
  }

  /** Returns the name that jars of native libraries use for the operating system: linux or osx. */
  public static String os() {
    return System.getProperty("os.name").startsWith("Mac") ? "osx" : "linux";
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

  private static JarEntry entry(URL packed) throws IOException {
    return ((JarURLConnection) packed.openConnection()).getJarEntry();
  }

  /**
   * Writes a library to a temporary file and renames that file, because another process may use the
   * old file or write the same new file. The temporary file is synced before it is renamed.
   * Therefore, a library whose size is right is complete.
   */
  private static void unpack(URL packed, Path target) throws IOException {
    Path temporary = Files.createTempFile(target.getParent(), ".", ".tmp");
    try {
      try (InputStream in = packed.openStream();
          FileChannel out = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        in.transferTo(Channels.newOutputStream(out));
        out.force(true);
      }
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
