package dev.helixbg.insight.notes;

import dev.helixbg.insight.log.Entry;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The agent, project, folder and files for which an entry of a memory file is written. If no
 * session of an agent loads two entries together, both are needed, even if they have the same
 * words. The scope of an entry of any other file is empty, but its text may refer to its file's own
 * folder.
 *
 * @param path path of the memory file; for other entries, this and all later fields are empty
 * @param agent the agent that loads the file; empty for all agents
 * @param owner the project or sub-agent that the file belongs to; empty for all
 * @param folder the folder of the project to which the file belongs; empty for the whole project
 * @param paths patterns, from the front matter, of the files for which an agent loads the memory
 *     file; empty for all files
 */
public record Scope(
    Entry entry, String path, String agent, String owner, String folder, String paths) {
  private static final String HOME = "~/";

  /** The name of the folder with Claude Code's memory of one project or of one sub-agent. */
  private static final Pattern OWNER =
      Pattern.compile("(?<=(?:^|/)(?:projects|agent-memory|agent-memory-local)/)[^/]+(?=/)");

  /** The hidden folder or file of an agent, or the name of a file that one agent reads. */
  private static final Pattern AGENT =
      Pattern.compile(
          "(?i)(?<=(?:^|/)\\.config/)[^/.]+|(?<=(?:^|/)\\.(?!config/))[a-z]+"
              + "|(?<=^|/)(?:claude|gemini|qwen|agents|copilot)(?=[^/]*$)");

  private static final Map<String, String> SAME_AGENT =
      Map.of("github", "copilot", "codeium", "windsurf");

  /** Reference to a text's own folder: relative link, import, agent's file, <i>this folder</i>. */
  private static final Pattern OF_FOLDER =
      Pattern.compile(
          "(?im)(?:\\]\\(|^ {0,3}\\[[^\\]\\n]+\\]:\\s*+|<(?:img|a)\\s[^>]{0,200}(?:src|href)=[\"'])"
              + "(?![a-z][a-z0-9+.-]*:|[/#])"
              + "|(?<![\\w@/.])@(?![/~])[\\w./-]*\\.\\w"
              + "|(?<![\\w/.])(?:agents|claude|gemini)\\.md\\b"
              + "|\\bthis (?:folder|directory|package|module|crate|sub-?project)\\b");

  private static final Pattern NO_WORD = Pattern.compile("[^\\p{L}\\p{M}\\p{N}]+");

  public static Scope of(Entry entry) {
    String path =
        entry.note().filter(file -> file.startsWith(HOME) || Items.isMemory(file)).orElse("");
    int hidden = hidden(path);
    String folder = path.substring(0, hidden < 0 ? path.lastIndexOf('/') + 1 : hidden);
    return new Scope(
        entry,
        path,
        agent(path),
        first(OWNER.matcher(path)),
        path.startsWith(HOME) ? "" : folder,
        path.isEmpty() ? "" : entry.text().paths().orElse(""));
  }

  /** Returns the offset in a path of the first name that begins with a dot; negative if none. */
  private static int hidden(String path) {
    return ("/" + path).indexOf("/.");
  }

  private static String agent(String path) {
    String name = first(AGENT.matcher(path)).toLowerCase(Locale.ROOT);
    return SAME_AGENT.getOrDefault(name, name.replaceFirst("(?:rules|hints)$", ""));
  }

  private static String first(Matcher found) {
    return found.find() ? found.group() : "";
  }

  /**
   * Returns in words why both entries are needed although they say nearly the same; empty if one of
   * them is enough.
   */
  public static Optional<String> apart(Entry a, Entry b) {
    return a.note().isEmpty() || b.note().isEmpty()
        ? Optional.empty()
        : of(a).apart(of(b), words(a).equals(words(b)));
  }

  /** Whether every session that loads one of two entries also loads the other. */
  public static boolean areOne(Entry a, Entry b) {
    return of(a).lacks(of(b)).isEmpty() && of(b).lacks(of(a)).isEmpty();
  }

  public Optional<String> apart(Scope other, boolean sameWords) {
    return elsewhere(other, sameWords)
        .or(() -> sameWords ? readers(other).or(() -> folders(other)) : Optional.empty());
  }

  /** Whether one of two entries with equal texts is enough. */
  public boolean areCopies(Scope other) {
    return apart(other, true).isEmpty() && headings(other).isEmpty();
  }

  /** Returns why no agent's session works with both entries; no report's top has such a pair. */
  public Optional<String> elsewhere(Scope other, boolean sameWords) {
    return differ("they are for different projects", owner, other.owner)
        .or(() -> differ("they are for different files", paths, other.paths))
        .or(
            () ->
                mayNest(other) && !isAround(other) && !other.isAround(this)
                    ? differ("they are for different folders", folder, other.folder)
                    : Optional.empty())
        .or(() -> sameWords && areOfMemory(other) ? folders(other) : Optional.empty());
  }

  /**
   * Returns in words why this entry does not suffice if the entry {@code gone} is removed; empty if
   * every session that loads the removed entry also loads this one.
   */
  public Optional<String> lacks(Scope gone) {
    boolean sameWords = words(entry).equals(words(gone.entry));
    return apart(gone, sameWords)
        .or(() -> readers(gone))
        .or(() -> sameWords ? headings(gone) : Optional.empty())
        .or(
            () ->
                mayNest(gone) && !isAround(gone)
                        || isPart(paths, gone.paths)
                        || isPart(owner, gone.owner)
                    ? Optional.of(
                        "fewer agent sessions load the entry that stays than the other entry")
                    : Optional.empty());
  }

  /** Returns a number that is greater for an entry that is loaded in more sessions. */
  public int breadth() {
    return -(folder.length() + 2 * paths.length() + owner.length());
  }

  /** Whether the folders of the two files decide which sessions load these files. */
  private boolean mayNest(Scope other) {
    return areOfMemory(other)
        && !isOfHome()
        && !other.isOfHome()
        && (Items.name(path).equals(Items.name(other.path))
            || hidden(path) >= 0 && hidden(other.path) >= 0);
  }

  private boolean areOfMemory(Scope other) {
    return !path.isEmpty() && !other.path.isEmpty();
  }

  private boolean isOfHome() {
    return path.startsWith(HOME);
  }

  private boolean isAround(Scope other) {
    return other.folder.startsWith(folder);
  }

  private static boolean isPart(String one, String other) {
    return !one.isEmpty() && !one.equals(other);
  }

  private Optional<String> readers(Scope other) {
    return differ("different agents load them", agent, other.agent)
        .or(
            () ->
                areOfMemory(other) && isOfHome() != other.isOfHome()
                    ? Optional.of("one is for the user, the other for the project")
                    : Optional.empty());
  }

  /** If two facts of one file are under different headings without dates, returns this in words. */
  private Optional<String> headings(Scope other) {
    if (!entry.isFact() || !NoteName.areInOneFile(entry, other.entry)) {
      return Optional.empty();
    }
    String one = NoteName.of(entry).orElseThrow().list();
    String two = NoteName.of(other.entry).orElseThrow().list();
    return one.equals(two) || ItemTimes.ANY.matcher(one).find() || ItemTimes.ANY.matcher(two).find()
        ? Optional.empty()
        : Optional.of("they are under different headings (%s, %s)".formatted(one, two));
  }

  private Optional<String> folders(Scope other) {
    return OF_FOLDER.matcher(entry.text().content()).find()
        ? differ("each entry names files of its own folder", place(), other.place())
        : Optional.empty();
  }

  /** Returns the folder of the entry's note; empty for an entry of helix. */
  private String place() {
    return NoteName.of(entry).map(NoteName::folder).orElse("");
  }

  private static Optional<String> differ(String why, String one, String other) {
    return one.isEmpty() || other.isEmpty() || one.equals(other)
        ? Optional.empty()
        : Optional.of("%s (%s, %s)".formatted(why, one, other));
  }

  private static String words(Entry entry) {
    return NO_WORD.matcher(entry.text().content()).replaceAll(" ").strip().toLowerCase(Locale.ROOT);
  }
}
