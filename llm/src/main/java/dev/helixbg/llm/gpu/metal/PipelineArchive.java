package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The pipelines of one kernel library as Metal compiled them, in a file: an {@code
 * MTLBinaryArchive}. Whatever is wrong with the file costs the time to compile them, and no more.
 * Its calls are made inside an autorelease pool.
 */
final class PipelineArchive {
  static final String ENDING = ".pipelines";

  private static final long FAIL_ON_MISS = 4; // MTLPipelineOptionFailOnBinaryArchiveMiss

  /** Files that nobody opened for so long are of other systems, GPUs or kernels. */
  private static final Duration KEPT = Duration.ofDays(60);

  private final ObjectiveC objc;
  private final Path file;

  /** The {@code MTLBinaryArchive}. */
  private final long id;

  private boolean hasGrown;

  private PipelineArchive(ObjectiveC objc, Path file, long id) {
    this.objc = objc;
    this.file = file;
    this.id = id;
  }

  /**
   * Opens what is kept; an empty one where there is nothing, or nothing that Metal takes.
   *
   * @param owner releases it
   * @return nothing where Metal makes none
   */
  static Optional<PipelineArchive> open(ObjectiveC objc, Arena owner, long device, Path file) {
    long found = Files.isRegularFile(file) ? archive(objc, device, file) : ObjectiveC.NIL;
    if (found != ObjectiveC.NIL) {
      touch(file);
    } else {
      found = archive(objc, device, null);
    }
    return found == ObjectiveC.NIL
        ? Optional.empty()
        : Optional.of(new PipelineArchive(objc, file, objc.releasedBy(owner, found)));
  }

  private static long archive(ObjectiveC objc, long device, Path from) {
    long descriptor = objc.ask(objc.classOf("MTLBinaryArchiveDescriptor"), "new");
    try (Arena call = Arena.ofConfined()) {
      if (from != null) {
        objc.ask(descriptor, "setUrl:", url(objc, from));
      }
      long error = call.allocate(ADDRESS).address();
      return objc.ask(device, "newBinaryArchiveWithDescriptor:error:", descriptor, error);
    } finally {
      objc.release(descriptor);
    }
  }

  /** An autoreleased {@code NSURL}. */
  private static long url(ObjectiveC objc, Path path) {
    long text = objc.string(path.toAbsolutePath().toString());
    long url = objc.ask(objc.classOf("NSURL"), "fileURLWithPath:", text);
    objc.release(text);
    return url;
  }

  private static void touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    } catch (IOException e) {
      // It is read all the same.
    }
  }

  /**
   * The owned pipeline of a function: from the archive, or compiled and added to it.
   *
   * @param error where Metal puts an {@code NSError}
   * @return nil when Metal cannot make it
   */
  long pipeline(long device, long function, long error) {
    long descriptor = objc.ask(objc.classOf("MTLComputePipelineDescriptor"), "new");
    try {
      objc.ask(descriptor, "setComputeFunction:", function);
      long archives = objc.ask(objc.classOf("NSArray"), "arrayWithObject:", id);
      objc.ask(descriptor, "setBinaryArchives:", archives);
      long kept = make(device, descriptor, FAIL_ON_MISS, error);
      if (kept != ObjectiveC.NIL) {
        return kept;
      }
      hasGrown |=
          isTrue(
              objc.ask(id, "addComputePipelineFunctionsWithDescriptor:error:", descriptor, error));
      return make(device, descriptor, 0, error);
    } finally {
      objc.release(descriptor);
    }
  }

  private long make(long device, long descriptor, long options, long error) {
    return objc.ask(
        device,
        "newComputePipelineStateWithDescriptor:options:reflection:error:",
        descriptor,
        options,
        ObjectiveC.NIL,
        error);
  }

  private static boolean isTrue(long answer) {
    return (answer & 0xFF) != 0; // a BOOL is a byte
  }

  /** Writes the file in one step, if there is anything new, and deletes those out of use. */
  void save() {
    if (!hasGrown) {
      return;
    }
    hasGrown = false; // no second try
    Path folder = file.getParent();
    try (Arena call = Arena.ofConfined()) {
      PrivateFiles.makeTrustedFolder(folder.getParent(), folder);
      Path written = Files.createTempFile(folder, ".", ENDING);
      try {
        long error = call.allocate(ADDRESS).address();
        if (isTrue(objc.ask(id, "serializeToURL:error:", url(objc, written), error))) {
          Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        }
      } finally {
        Files.deleteIfExists(written);
      }
      deleteUnused(folder);
    } catch (IOException | DirectoryIteratorException e) {
      // It is compiled again the next time.
    }
  }

  private static void deleteUnused(Path folder) throws IOException {
    FileTime oldest = FileTime.from(Instant.now().minus(KEPT));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + ENDING)) {
      for (Path each : files) {
        if (Files.getLastModifiedTime(each).compareTo(oldest) < 0) {
          Files.deleteIfExists(each);
        }
      }
    }
  }
}
