package dev.helixbg.insight.notes;

import dev.helixbg.config.text.NormalForm;
import java.util.Locale;
import java.util.regex.Pattern;

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

  /** Whether a file is called a copy, or a copy of another file of which the text is at hand. */
  public static boolean isCopy(NoteName one, NoteName other) {
    String name = stem(one);
    return MARKED.matcher(name).find()
        || !name.equals(stem(other)) && NUMBERED.matcher(name).replaceFirst("").equals(stem(other));
  }

  /** Without folder and ending. */
  private static String stem(NoteName note) {
    String name = note.file().substring(note.file().lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return NormalForm.of(dot > 0 ? name.substring(0, dot) : name).toLowerCase(Locale.ROOT);
  }
}
