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
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the words by which helix finds exactly one entry of a topic. */
class MatchStringTest {
  private static final Path FINDINGS_KB = Path.of("src/test/resources/findings-kb");

  @Test
  void everyEntryOfTheEvaluationKbHasWordsOfItsOwn(@TempDir Path folder) throws IOException {
    List<NamedEntry> kb = evaluationKb(folder);
    assertTrue(kb.size() >= 300);
    for (NamedEntry entry : kb) {
      assertFound(kb, entry, words(kb, entry).orElseThrow());
    }
  }

  @Test
  void theBeginningOfTheTextWillDoAsARule() {
    List<NamedEntry> kb =
        StandInHelix.kb(
            "auth", "[tags: gotcha]\nTokens live 15 minutes, whatever the header says.",
            "auth", "The session cookie is signed.",
            "auth", "ok");
    assertEquals(Optional.of("Tokens live 15 minutes, whatever"), words(kb, kb.get(0)));
    assertEquals(Optional.of("The session cookie is signed."), words(kb, kb.get(1)));
  }

  /** No words can identify an entry whose whole text another entry of the topic contains. */
  @Test
  void anEntryThatAnotherOneContainsHasNone() {
    List<NamedEntry> kb =
        StandInHelix.kb(
            "auth", "The session cookie is signed.",
            "auth", "THE SESSION COOKIE IS SIGNED. And rotated daily.",
            "auth", "Copied text.",
            "auth", "Copied text.",
            "other", "The session cookie is signed.",
            "auth", "");
    assertEquals(Optional.empty(), words(kb, kb.get(0)));
    assertFound(kb, kb.get(1), words(kb, kb.get(1)).orElseThrow());
    assertEquals(Optional.empty(), words(kb, kb.get(2)));
    assertEquals(Optional.empty(), words(kb, kb.get(3)));
    assertEquals(Optional.of("The session cookie is signed."), words(kb, kb.get(4)));
    assertEquals(Optional.empty(), words(kb, kb.get(5)));
  }

  /** Another entry has each of the lines, but no entry has both lines in this order. */
  @Test
  void aPieceMayCrossALineBreak() {
    List<NamedEntry> kb =
        StandInHelix.kb(
            "auth", "The cookie is signed.\nKeys rotate daily.",
            "auth", "Keys rotate daily.\nTokens live an hour.",
            "auth", "The cookie is signed.",
            "auth", "[tags: x]\nThe cookie is signed.\nTokens live an hour.");
    Optional<String> words = words(kb, kb.getFirst());
    assertTrue(words.orElseThrow().contains("\n"), words.toString());
    assertFound(kb, kb.getFirst(), words.get());
    assertEquals(Optional.empty(), words(kb, kb.get(2)));
  }

  /** Only the metadata distinguish the entry from another entry, which contains its whole text. */
  @Test
  void metadataAreWordsWhereNothingElseIs() {
    List<NamedEntry> kb =
        StandInHelix.kb(
            "auth", "[source: a/Token.kt:4]\nThe cookie is signed.",
            "auth", "[source: b/Token.kt:4]\nThe cookie is signed. Keys rotate daily.");
    assertFound(kb, kb.getFirst(), words(kb, kb.getFirst()).orElseThrow());
  }

  /** The bodies of a topic may be large, so they must not be read anew for each tried piece. */
  @Test
  void theBodiesOfATopicAreReadAFewTimesOnly() {
    int[] read = {0};
    List<String> others = Collections.nCopies(500, "the same words again and again ".repeat(3));
    Iterable<String> counted =
        () -> {
          read[0]++;
          return others.iterator();
        };
    String body = "the same words again and again ".repeat(400) + "but for these";
    assertTrue(MatchString.of(body, counted).orElseThrow().contains("again but"));
    assertTrue(read[0] <= 3, "read " + read[0] + " times");
  }

  @Test
  void wordsInMetadataOfAnotherEntryCount() {
    List<NamedEntry> kb =
        StandInHelix.kb(
            "auth", "src/auth/Token.kt:41", "auth", "[source: src/auth/Token.kt:41]\nTTL");
    assertEquals(Optional.empty(), words(kb, kb.get(0)));
  }

  /** Tests texts that repeat each other, in mixed case, other scripts and unusual characters. */
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
      List<NamedEntry> entries = StandInHelix.kb(kb);
      for (NamedEntry entry : entries) {
        Optional<String> words = words(entries, entry);
        words.ifPresent(text -> assertFound(entries, entry, text));
        found += words.isPresent() ? 1 : 0;
      }
    }
    assertTrue(found > 300, "only " + found);
  }

  private static Optional<String> words(List<NamedEntry> kb, NamedEntry entry) {
    return MatchString.of(
        entry.entry().body(),
        kb.stream()
            .filter(one -> one != entry && one.entry().topic().equals(entry.entry().topic()))
            .map(one -> one.entry().body())
            .toList());
  }

  private static void assertFound(List<NamedEntry> kb, NamedEntry entry, String words) {
    List<String> hits =
        kb.stream()
            .filter(one -> one.entry().topic().equals(entry.entry().topic()))
            .filter(one -> lower(one.entry().body()).contains(lower(words)))
            .map(NamedEntry::name)
            .toList();
    assertEquals(List.of(entry.name()), hits, words);
    assertTrue(words.length() <= 2_000, words);
    assertTrue(words.chars().noneMatch(c -> Character.isSurrogate((char) c)), words);
    assertTrue(words.codePoints().allMatch(c -> c == '\n' || HostileText.isHarmless(c)), words);
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
    return StandInHelix.named(DataLog.read(log).entries());
  }
}
