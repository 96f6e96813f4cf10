package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;

/**
 * What tells from outside that a file was written to or replaced. Whoever writes to a file changes
 * its {@code changed}, which nobody can set back as {@code modified} can be; both are as coarse as
 * the file system's clock, so that a state tells of all bytes only once it rested for a while.
 *
 * @param changed when content or attributes last changed (ctime)
 * @param key the inode with its device
 */
public record FileState(long size, FileTime modified, FileTime changed, Object key) {

  /**
   * @throws java.nio.file.NoSuchFileException when there is no such file
   */
  public static FileState of(Path file) throws IOException {
    Map<String, Object> attributes =
        Files.readAttributes(file, "unix:size,lastModifiedTime,ctime,fileKey");
    return new FileState(
        (Long) attributes.get("size"),
        (FileTime) attributes.get("lastModifiedTime"),
        (FileTime) attributes.get("ctime"),
        attributes.get("fileKey"));
  }
}
