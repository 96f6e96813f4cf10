package dev.helixbg.insight.notes;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Places of the files in which coding agents keep what they learn, and of the files that instruct
 * the agents, according to the agents' manuals. A place is a path from the home folder or from the
 * top of a repository. Each part of the path is a name, a glob, or {@code **} for any number of
 * folders.
 */
final class MemoryPlaces {
  private static final List<String> AT_HOME =
      List.of(
          ".claude/CLAUDE.md",
          ".claude/rules/**/*.md",
          ".claude/agent-memory/*/*.md",
          ".claude/projects/*/memory/*.md",
          ".codex/AGENTS.md",
          ".codex/AGENTS.override.md",
          ".codex/memories/*.md",
          ".gemini/GEMINI.md",
          ".qwen/QWEN.md",
          ".copilot/copilot-instructions.md",
          ".codeium/windsurf/memories/global_rules.md",
          ".config/AGENTS.md",
          ".config/agents/AGENTS.md",
          ".config/amp/AGENTS.md",
          ".config/goose/.goosehints",
          ".config/opencode/AGENTS.md",
          ".factory/AGENTS.md",
          ".hermes/memories/*.md",
          ".kiro/steering/*.md",
          ".openclaw/workspace/AGENTS.md",
          ".openclaw/workspace/MEMORY.md",
          ".openclaw/workspace/TOOLS.md",
          ".openclaw/workspace/USER.md",
          ".roo/rules/*.md",
          "Documents/Cline/Rules/*.md");

  private static final List<String> IN_REPOSITORY =
      List.of(
          "AGENTS.md",
          "AGENTS.override.md",
          "CLAUDE.md",
          "CLAUDE.local.md",
          "CONVENTIONS.md",
          "GEMINI.md",
          "LEARNINGS.md",
          "MEMORY.md",
          "QWEN.md",
          ".agent/rules/*.md",
          ".claude/CLAUDE.md",
          ".claude/rules/**/*.md",
          ".claude/agent-memory/*/*.md",
          ".claude/agent-memory-local/*/*.md",
          ".clinerules",
          ".clinerules/*.md",
          ".continue/rules/*.md",
          ".cursorrules",
          ".cursor/rules/**/*.md",
          ".cursor/rules/**/*.mdc",
          ".github/copilot-instructions.md",
          ".github/instructions/**/*.instructions.md",
          ".goosehints",
          ".junie/guidelines.md",
          ".kiro/steering/*.md",
          ".roo/rules/*.md",
          ".rules",
          ".windsurfrules",
          ".windsurf/rules/*.md",
          "docs/LEARNINGS.md",
          "memory/MEMORY.md",
          "memory-bank/*.md");

  private static final Pattern IN_ANY_REPOSITORY =
      Pattern.compile(
          "(.*/)?(%s)|%s"
              .formatted(
                  regexOf(place -> place.startsWith(".")),
                  regexOf(place -> !place.startsWith("."))));

  /** Greatest number of names that one glob can match. */
  private static final int MAX_NAMES = 10_000;

  private MemoryPlaces() {}

  static List<Path> atHome(Path home) throws IOException {
    return there(home, AT_HOME);
  }

  static List<Path> inRepository(Path top) throws IOException {
    return there(top, IN_REPOSITORY);
  }

  /**
   * Whether a path is a place of memory or instruction files in a repository. The path is relative
   * to the repository's top folder, with {@code /} between names. A place that begins with a dot
   * can be in any folder.
   */
  static boolean isInRepository(String path) {
    return IN_ANY_REPOSITORY.matcher(path).matches();
  }

  private static String regexOf(Predicate<String> chosen) {
    return IN_REPOSITORY.stream()
        .filter(chosen)
        .map(
            place ->
                place.replace(".", "\\.").replace("*", "[^/]*").replace("[^/]*[^/]*/", "(.*/)?"))
        .collect(Collectors.joining("|"));
  }

  private static List<Path> there(Path root, List<String> places) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String place : places) {
      List<Path> all = List.of(root);
      for (String part : place.split("/")) {
        List<Path> next = new ArrayList<>();
        for (Path folder : all) {
          next.addAll(in(folder, part));
        }
        all = next;
      }
      all.stream()
          .filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
          .sorted()
          .forEach(found::add);
    }
    return found;
  }

  /**
   * Returns the paths in a folder that match {@code part}. If the folder is a link and {@code part}
   * is a glob, returns only the link.
   */
  private static List<Path> in(Path folder, String part) throws IOException {
    if (part.equals("**")) {
      List<Path> all = new ArrayList<>(List.of(folder));
      for (int i = 0; i < all.size() && all.size() < MAX_NAMES; i++) {
        in(all.get(i), "*").stream()
            .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
            .forEach(all::add);
      }
      return all;
    }
    if (part.indexOf('*') < 0) {
      Path path = folder.resolve(part);
      return Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? List.of(path) : List.of();
    }
    if (Files.isSymbolicLink(folder) && Files.isDirectory(folder)) {
      return List.of(folder);
    }
    if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> names = Files.newDirectoryStream(folder, part)) {
      for (Path name : names) {
        if (found.size() < MAX_NAMES) {
          found.add(name);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }
}
