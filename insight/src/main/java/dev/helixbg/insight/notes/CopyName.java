package dev.helixbg.insight.notes;

import dev.helixbg.config.text.NormalForm;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The name of a file as sync programs, file managers and browsers call a copy. */
public final class CopyName {
  private static final String COPY = "copy|kopie|copie|copia|cópia|kopia|копия";

  /** Dropbox, Nextcloud, Syncthing, Seafile, Resilio; Windows, GNOME, KDE, macOS, Google Drive. */
  private static final Pattern MARKED =
      Pattern.compile(
          ("(?: \\(|[ ._-])(?:[^()]*(?:conflicted copy|case conflict|sfconflict|konflikt stehende"
               + " kopie|copie en conflit|copia en"
               + " conflicto)[^()]*\\)?|sync-conflict-[\\w-]+|_?conflict(?:-[\\d-]+)?)$| -"
               + " (?:%1$s)(?: ?\\(\\d+\\))?$| \\((?:[^()]* )?(?:%1$s)(?: \\d+)?\\)$| (?:%1$s)(?:"
               + " \\d+)?$|^(?:copy of|kopie von|copie de|copia de|cópia de|kopia) ")
              .formatted(COPY));

  /** Browsers, iCloud, Obsidian: a mark only beside the file of the name before it. */
  private static final Pattern NUMBERED = Pattern.compile(" ?\\(\\d+\\)$| \\d+$");

  private CopyName() {}

  /** The names of files, as {@link #isCopy} compares them. */
  public static Set<String> names(Stream<NoteName> files) {
    return files.map(CopyName::stem).collect(Collectors.toSet());
  }

  /**
   * Whether a file is called a copy, or has the number of a copy of one of these files.
   *
   * @param names of {@link #names}
   */
  public static boolean isCopy(NoteName one, Set<String> names) {
    String name = stem(one);
    String unnumbered = NUMBERED.matcher(name).replaceFirst("");
    return MARKED.matcher(name).find() || !unnumbered.equals(name) && names.contains(unnumbered);
  }

  /** Without folder and ending. */
  private static String stem(NoteName note) {
    String name = note.file().substring(note.file().lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return NormalForm.of(dot > 0 ? name.substring(0, dot) : name).toLowerCase(Locale.ROOT);
  }
}
