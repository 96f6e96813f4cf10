package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * What tells from outside that a file was written to or replaced. A hint only: inode numbers are
 * reused, and times are coarse.
 *
 * @param key the inode, or null where there is none
 */
public record FileState(long size, FileTime modified, Object key) {

  /**
   * @throws java.nio.file.NoSuchFileException when there is no such file
   */
  public static FileState of(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new FileState(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
  }
}
