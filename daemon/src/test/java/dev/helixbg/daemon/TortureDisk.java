package dev.helixbg.daemon;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Runs the built program on a KB on a small disk (a tmpfs in its own mount namespace), which has
 * too few blocks or allows too few files. Linux only.
 */
final class TortureDisk extends TortureArea {
  /** Shell script. Arguments: size, number of inodes, mount point, KB, then the command. */
  private static final String ON_SMALL_DISK =
      """
      options="mode=700,size=$1,nr_inodes=$2" disk=$3 kb=$4
      shift 4
      mount -t tmpfs -o "$options" none "$disk" && cp -a "$kb/." "$disk" || exit 99
      "$@"
      code=$?
      cp -a "$disk/." "$kb"
      exit $code
      """;

  /** Exit code if the disk has no room even for the existing files. */
  private static final int TOO_SMALL = 99;

  private final Path folder;
  private final Path dist;
  private final RealDaemon program;
  private final boolean possible;

  TortureDisk(Path folder, Path dist) throws Exception {
    this.folder = folder;
    this.dist = dist;
    this.program = new RealDaemon(folder.resolve("home"), dist, List.of()).withoutC2();
    program.settings("threads = 1\n");
    Files.createDirectories(folder.resolve("disk"));
    possible =
        ExternalTool.succeeds(
            "unshare", "-mr", "mount", "-t", "tmpfs", "none", folder.resolve("disk").toString());
  }

  @Override
  void run(long seed) throws Exception {
    if (!possible) {
      count("not possible here");
      return;
    }
    Random random = new Random(seed);
    Torture.delete(folder.resolve("kb"));
    WritableKb kb = new WritableKb(folder.resolve("kb"), random);
    kb.append(60);
    if (random.nextBoolean()) {
      program.run("one-shot", kb.kb().folder().toString());
      for (int i = random.nextInt(60); i >= 0; i--) {
        kb.append();
      }
    }
    long used = used(kb.kb().folder());
    boolean fewFiles = random.nextInt(4) == 0;
    long size = fewFiles ? 64L << 20 : used + 4096L * random.nextInt(400);
    int files = fewFiles ? 3 + random.nextInt(24) : 1_000;
    boolean withStore = random.nextBoolean();
    int code = runOnSmallDisk(kb.kb(), size, files, withStore);
    Torture.delete(kb.kb().folder().resolve("state"));
    if (code == TOO_SMALL) {
      count("too small");
      return;
    }
    try {
      require(
          code == 0 || code == ExitCode.WRITE.number(), "exit code %d: %s", code, program.log());
      count(code == 0 ? "had room" : "full");
      TortureKb.requireWholeReports(kb.kb().insights());
      program.run("one-shot", kb.kb().folder().toString());
      new FromNothing(kb.kb(), folder.resolve("fresh"), program).compare();
    } catch (RuntimeException e) {
      throw new IllegalStateException("a disk of %d bytes, %d files".formatted(size, files), e);
    }
  }

  private static long used(Path kb) throws IOException {
    try (var files = Files.walk(kb)) {
      long bytes = 0;
      for (Path file : files.toList()) {
        bytes += Files.isDirectory(file) ? 0 : (Files.size(file) + 4095) / 4096 * 4096;
      }
      return bytes;
    }
  }

  /**
   * Runs the program, copies the files from the small disk to the KB, and returns the exit code.
   */
  private int runOnSmallDisk(Kb kb, long size, int files, boolean withStore) throws Exception {
    Path disk = folder.resolve("disk");
    String[] wrapper =
        Program.words(
            "unshare -mr sh -c % sh % % % %", ON_SMALL_DISK, size, files, disk, kb.folder());
    RealDaemon onSmallDisk = new RealDaemon(folder.resolve("home"), dist, List.of(wrapper));
    String state = withStore ? "state=" + disk.resolve("state") : "threads=1";
    return onSmallDisk.command("one-shot", disk.toString(), "--set", state).waitFor();
  }
}
