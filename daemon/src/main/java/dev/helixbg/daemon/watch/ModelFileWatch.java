package dev.helixbg.daemon.watch;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.KbFiles;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Tells from outside whether the language model is another one, or has changed: a look at its file,
 * and at the models folder, which is read only when something in it came or went.
 */
public final class ModelFileWatch {
  private final Settings settings;
  private Optional<FileState> folder = Optional.empty();
  private Optional<Path> found;

  public ModelFileWatch(Settings settings) {
    this.settings = settings;
    this.found = settings.llm().model();
  }

  /** The same while the same model would be asked; empty when there is none. */
  public Optional<FileState> state(KbFiles files) {
    if (settings.llm().model().isEmpty()) {
      Optional<FileState> now = files.stateOrNone(settings.embed().models());
      if (!now.equals(folder)) {
        folder = now;
        found = LanguageModelFile.locate(settings).map(LanguageModelFile::file);
      }
    }
    return found.flatMap(files::stateOrNone);
  }
}
