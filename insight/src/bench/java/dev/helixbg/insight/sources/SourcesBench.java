package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures how many findings about missing source files are correct. The entries are handwritten
 * notes about this project; the repository is this project's own, at one commit. Run by {@code
 * scripts/check-sources}.
 *
 * <p>The file of notes begins with the commit. A note begins with {@code @}, its time and its
 * topic. After its text are lines of a person who checked the findings: {@code = so} and a correct
 * finding, {@code = not so} and a wrong one, {@code = missed} and one that should be found.
 */
public final class SourcesBench {
  /** Minimum share of correct findings. */
  private static final double MARK = 0.9;

  private SourcesBench() {}

  /**
   * @param arguments the path of the file of notes; the folder with the repository
   */
  public static void main(String[] arguments) throws Exception {
    List<Entry> entries = new ArrayList<>();
    Map<String, String> truth = new TreeMap<>();
    String commit = "";
    StringBuilder body = new StringBuilder();
    String head = "";
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      if (line.startsWith("commit ")) {
        commit = line.substring("commit ".length(), "commit ".length() + 10);
      } else if (line.startsWith("@ ")) {
        add(entries, head, body);
        head = line;
      } else if (line.startsWith("= ")) {
        String[] parts = line.split(" ", 3);
        boolean not = line.startsWith("= not so ");
        String said = not ? line.substring("= not so ".length()) : parts[2];
        truth.put(entries.size() + " " + said, not ? "not so" : parts[1]);
      } else if (!head.isEmpty()) {
        body.append(line).append('\n');
      }
    }
    add(entries, head, body);
    List<NamedEntry> named =
        NamedEntry.all(entries, one -> "%032x".formatted(entries.indexOf(one)));
    SourceCheckResult sources =
        new SourceCheck(List.of(Path.of(arguments[1])), ZoneOffset.UTC).of(named);
    if (!commit.equals(sources.folders().getFirst().commit().orElse(""))) {
      System.err.println(
          "the repository is not at the commit of the notes: " + sources.folders().getFirst());
      System.exit(1);
    }
    int so = 0;
    int unjudged = 0;
    for (MovedSource one : sources.moved()) {
      String said =
          one.change().title()
              + " "
              + one.named()
              + one.now().map(place -> " -> " + place).orElse("");
      String judged = truth.remove(named.indexOf(one.entry()) + " " + said);
      so += "so".equals(judged) ? 1 : 0;
      unjudged += judged == null ? 1 : 0;
      System.out.printf(
          "%-9s %3d %s: %s%n",
          judged == null ? "UNJUDGED" : judged, named.indexOf(one.entry()), said, one.words());
    }
    truth.forEach(
        (said, judged) ->
            System.out.printf("%-9s %s%n", judged.equals("missed") ? judged : "NOT SAID", said));
    int total = sources.moved().size();
    System.out.printf(
        "%d notes, %d findings, %d correct, %d not judged, %d missed%n",
        entries.size(),
        total,
        so,
        unjudged,
        truth.values().stream().filter("missed"::equals).count());
    if (unjudged > 0 || so < MARK * total || truth.containsValue("so")) {
      System.exit(1);
    }
  }

  private static void add(List<Entry> entries, String head, StringBuilder body) {
    if (head.isEmpty()) {
      return;
    }
    String[] parts = head.split(" ");
    long minutes = LocalDateTime.parse(parts[1]).toEpochSecond(ZoneOffset.UTC) / 60;
    String text = body.toString().strip();
    entries.add(
        new Entry(100L * entries.size(), parts[2], text, (int) minutes, EntryText.parse(text)));
    body.setLength(0);
  }
}
