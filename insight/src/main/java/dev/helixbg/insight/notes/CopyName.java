package dev.helixbg.insight.notes;

import dev.helixbg.config.text.NormalForm;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Recognises names that sync programs, file managers and browsers give to copies of files. */
public final class CopyName {
  private static final String COPY = "copy|kopie|copie|copia|cópia|kopia|копия";

  /**
   * Words that mark the name of a copy. The part of the pattern before its first {@code $} matches
   * the words that Dropbox, Nextcloud, Syncthing, Seafile and Resilio add. The rest matches the
   * words of Windows, GNOME, KDE, macOS and Google Drive.
   */
  private static final Pattern MARKED =
      Pattern.compile(
          ("(?: \\(|[ ._-])(?:[^()]*(?:conflicted copy|case conflict|sfconflict|konflikt stehende"
               + " kopie|copie en conflit|copia en"
               + " conflicto)[^()]*\\)?|sync-conflict-[\\w-]+|_?conflict(?:-[\\d-]+)?)$| -"
               + " (?:%1$s)(?: ?\\(\\d+\\))?$| \\((?:[^()]* )?(?:%1$s)(?: \\d+)?\\)$| (?:%1$s)(?:"
               + " \\d+)?$|^(?:copy of|kopie von|copie de|copia de|cópia de|kopia) ")
              .formatted(COPY));

  /**
   * A number that browsers, iCloud and Obsidian add to a name. It marks a copy only if a file with
   * the plain name exists.
   */
  private static final Pattern NUMBERED = Pattern.compile(" ?\\(\\d+\\)$| \\d+$");

  private CopyName() {}

  /** Returns the names of files in the form that {@link #isCopy} needs. */
  public static Set<String> names(Stream<NoteName> files) {
    return files.map(CopyName::stem).collect(Collectors.toSet());
  }

  /** Whether a name has words that mark a copy, or is one of {@code names} with a number added. */
  public static boolean isCopy(NoteName one, Set<String> names) {
    String name = stem(one);
    String unnumbered = NUMBERED.matcher(name).replaceFirst("");
    return MARKED.matcher(name).find() || !unnumbered.equals(name) && names.contains(unnumbered);
  }

  private static String stem(NoteName note) {
    String name = NoteName.fileName(NoteName.withoutEnding(note.file()));
    return NormalForm.of(name).toLowerCase(Locale.ROOT);
  }
}
