package dev.helixbg.daemon.kb;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** The sample knowledge base that is bundled with the program. */
public final class SampleKb {
  private SampleKb() {}

  /** Unpacks the sample into the cache folder, where its report is kept between runs. */
  public static Kb unpack(Path cacheFolder) {
    Kb kb = new Kb(cacheFolder.resolve("sample-kb"));
    try (InputStream resource = SampleKb.class.getResourceAsStream("/sample/data.log")) {
      byte[] log = resource.readAllBytes();
      PrivateFiles.makeTrustedFolder(cacheFolder, kb.folder());
      AtomicFile.update(kb.dataLog(), log);
      return kb;
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE, "unpack the sample to " + kb.folder(), e, Failure.OTHER_CACHE);
    }
  }
}
