package dev.helixbg.insight.acts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.SampleKb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words that helix finds in one entry of a topic only. */
class MatchesTest {
  private static final Path FINDINGS_KB = Path.of("src/test/resources/findings-kb");

  @Test
  void everyEntryOfTheEvaluationKbHasWordsOfItsOwn(@TempDir Path folder) throws IOException {
    List<NamedEntry> kb = evaluationKb(folder);
    assertTrue(kb.size() >= 300);
    Matches matches = new Matches(kb);
    for (NamedEntry entry : kb) {
      assertFound(kb, entry, matches.of(entry).orElseThrow());
    }
  }

  @Test
  void theBeginningOfTheTextWillDoAsARule() {
    List<NamedEntry> kb =
        HelixModel.kb(
            "auth", "[tags: gotcha]\nTokens live 15 minutes, whatever the header says.",
            "auth", "The session cookie is signed.",
            "auth", "ok");
    Matches matches = new Matches(kb);
    assertEquals(Optional.of("Tokens live 15 minutes, whatever"), matches.of(kb.get(0)));
    assertEquals(Optional.of("The session cookie is signed."), matches.of(kb.get(1)));
  }

  /** Two letters are in everything: it takes its place. */
  @Test
  void anEntryThatAnotherOneContainsHasNone() {
    List<NamedEntry> kb =
        HelixModel.kb(
            "auth", "The session cookie is signed.",
            "auth", "THE SESSION COOKIE IS SIGNED. And rotated daily.",
            "auth", "Copied text.",
            "auth", "Copied text.",
            "other", "The session cookie is signed.",
            "auth", "");
    Matches matches = new Matches(kb);
    assertEquals(Optional.empty(), matches.of(kb.get(0)));
    assertFound(kb, kb.get(1), matches.of(kb.get(1)).orElseThrow());
    assertEquals(Optional.empty(), matches.of(kb.get(2)));
    assertEquals(Optional.empty(), matches.of(kb.get(3)));
    assertEquals(Optional.of("The session cookie is signed."), matches.of(kb.get(4)));
    assertEquals(Optional.empty(), matches.of(kb.get(5)));
  }

  @Test
  void wordsInMetadataOfAnotherEntryCount() {
    List<NamedEntry> kb =
        HelixModel.kb(
            "auth", "src/auth/Token.kt:41", "auth", "[source: src/auth/Token.kt:41]\nTTL");
    assertEquals(Optional.empty(), new Matches(kb).of(kb.get(0)));
  }

  /** Texts that repeat each other, in cases, scripts and characters that are hard to copy. */
  @Test
  void whateverTheTextsAreTheWordsAreInOneEntryOnly() {
    List<String> pieces = new ArrayList<>(HostileText.CORPUS);
    pieces.addAll(
        List.of(
            "the same words again and again ",
            "ΟΔΟΣ ΣΙΓΜΑ ",
            "İstanbul ",
            "ẞtraße ",
            "漢字仮名交じり文漢字仮名交じり文漢字仮名交じり文漢字仮名交じり文",
            "🦙🦙",
            "a\tb\r\n",
            "\n\n",
            "[tags: one, two]\n",
            "x".repeat(200),
            " "));
    Random random = new Random(5);
    int found = 0;
    for (int round = 0; round < 60; round++) {
      String[] kb = new String[2 * 12];
      for (int i = 0; i < kb.length; i += 2) {
        StringBuilder body = new StringBuilder();
        for (int n = random.nextInt(8); n >= 0; n--) {
          body.append(pieces.get(random.nextInt(pieces.size())));
        }
        kb[i] = random.nextInt(3) == 0 ? "one" : "other";
        kb[i + 1] = body.toString();
      }
      List<NamedEntry> entries = HelixModel.kb(kb);
      Matches matches = new Matches(entries);
      for (NamedEntry entry : entries) {
        Optional<String> words = matches.of(entry);
        words.ifPresent(text -> assertFound(entries, entry, text));
        found += words.isPresent() ? 1 : 0;
      }
    }
    assertTrue(found > 300, "only " + found);
  }

  private static void assertFound(List<NamedEntry> kb, NamedEntry entry, String words) {
    List<String> hits =
        kb.stream()
            .filter(one -> one.entry().topic().equals(entry.entry().topic()))
            .filter(one -> lower(one.entry().body()).contains(lower(words)))
            .map(NamedEntry::name)
            .toList();
    assertEquals(List.of(entry.name()), hits, words);
    assertTrue(words.length() <= 160 && !words.contains("\n"), words);
    assertTrue(words.chars().noneMatch(c -> Character.isSurrogate((char) c)), words);
    assertTrue(words.codePoints().allMatch(HostileText::isHarmless), words);
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static List<NamedEntry> evaluationKb(Path folder) throws IOException {
    StringBuilder source = new StringBuilder();
    try (Stream<Path> parts = Files.list(FINDINGS_KB)) {
      for (Path part : parts.filter(one -> one.toString().endsWith(".md")).sorted().toList()) {
        source.append(Files.readString(part)).append('\n');
      }
    }
    Path log = Files.write(folder.resolve("data.log"), SampleKb.build(source.toString()));
    return HelixModel.named(DataLog.read(log).entries());
  }
}
