package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.insight.pairs.WordDifference.Stretch;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests which words only one of two texts has. */
class WordDifferenceTest {

  private static String marked(String text, String other) {
    return WordDifference.besides(other).mark(text).stream()
        .map(piece -> piece.own() ? "<" + piece.text() + ">" : piece.text())
        .collect(Collectors.joining());
  }

  @Test
  void whatAMergeWouldLoseIsMarked() {
    String hold = "A capacity hold lives 15 minutes. The sweeper gives the pallets back.";
    String other = "The hold of capacity expires after 20 minutes; a sweeper gives pallets back.";
    assertEquals(
        "A capacity hold <lives 15> minutes. The sweeper gives the pallets back.",
        marked(hold, other));
    assertEquals(
        "The hold of capacity <expires after 20> minutes; a sweeper gives pallets back.",
        marked(other, hold));
    assertEquals(List.of("expires", "after", "20"), WordDifference.besides(hold).list(other));
  }

  @Test
  void caseAndPluralsAndShortWordsAreNoDifference() {
    assertEquals("The lease is <not> that", marked("The lease is not that", "lease"));
    assertEquals("Leases of it go.", marked("Leases of it go.", "the LEASE"));
    assertEquals("9 % in <Denmark>", marked("9 % in Denmark", "9 % on Sweden"));
    assertEquals("<9> % in", marked("9 % in", "8 % on"));
  }

  @Test
  void numbersAndIdentifiersAreWhole() {
    assertEquals(
        "<0.5> and <10,000> and max_pairs",
        marked("0.5 and 10,000 and max_pairs", "0 5 10 000 and max_pairs"));
    assertEquals("<max_pairs>", marked("max_pairs", "max pairs"));
    assertEquals("<2xlarge>", marked("2xlarge", "2"));
    assertEquals("server <दिल्ली> में है", marked("server दिल्ली में है", "server मुंबई में है"));
    assertEquals("⚠\uFE0Flease", marked("⚠\uFE0Flease", "lease"));
  }

  @Test
  void ownWordsInARowAreOneMarkButNotAcrossLinesAndSigns() {
    assertEquals("<one two>, <three>\n<four>", marked("one two, three\nfour", ""));
    assertEquals("", marked("", "x"));
    assertEquals(List.of(new Stretch("", false)), WordDifference.besides("x").mark(""));
  }

  @Test
  void thePiecesAreTheText() {
    Random random = new Random(3);
    for (int round = 0; round < 300; round++) {
      StringBuilder text = new StringBuilder();
      StringBuilder other = new StringBuilder();
      for (int n = random.nextInt(6); n >= 0; n--) {
        text.append(HostileText.CORPUS.get(random.nextInt(HostileText.CORPUS.size()))).append(' ');
        other.append(HostileText.CORPUS.get(random.nextInt(HostileText.CORPUS.size())));
      }
      List<Stretch> pieces = WordDifference.besides(other.toString()).mark(text.toString());
      assertEquals(
          text.toString(), pieces.stream().map(Stretch::text).collect(Collectors.joining()));
      assertEquals(
          List.of(),
          WordDifference.besides(text.toString()).list(text.toString()),
          "nothing but itself");
    }
  }

  private static final String FACT =
      "Backups of the ledger run every night at 02:30, are kept for thirty days in the Frankfurt"
          + " bucket, and are restored with pgbackrest";

  private static void assertRepetition(boolean expected, String one, String other) {
    assertEquals(expected, WordDifference.isRepetition(one, other));
    assertEquals(expected, WordDifference.isRepetition(other, one));
  }

  @Test
  void aTextWithinTheOtherRepeatsIt() {
    assertRepetition(true, FACT, FACT);
    assertRepetition(true, FACT, "# Backups\n\n" + FACT + ".\nAsk Ines for the passphrase.");
  }

  /** If each text has a word that the other lacks, neither text repeats the other. */
  @Test
  void oneOwnWordOnEachSideIsNoRepetition() {
    assertRepetition(false, FACT, FACT.replace("thirty", "ninety"));
    assertRepetition(false, FACT, FACT.replace("02:30", "03:30") + " by Ines");
  }

  @Test
  void aStubThatSharesATemplateIsNoRepetition() {
    String stub = "# README\n\nTODO: describe what this cookbook installs and how";
    assertRepetition(false, stub, stub + " to test it");
  }

  @Test
  void theSameWordsInAnotherOrderAreNoRepetition() {
    List<String> words = Arrays.asList(FACT.split(" "));
    Collections.reverse(words);
    assertRepetition(false, FACT, String.join(" ", words));
  }

  private static String words(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "word" + i).collect(Collectors.joining(" "));
  }

  /** If the halves of a text are swapped, the three runs of four words across the cut are lost. */
  @Test
  void fourFifthsOfTheRunsOfFourWordsMustStayInOrder() {
    assertRepetition(
        true, words(0, 18), words(9, 18) + " " + words(0, 9)); // 12 of 15 runs are left
    assertRepetition(false, words(0, 17), words(9, 17) + " " + words(0, 9)); // 11 of 14 are left
  }

  @Test
  void aSmallPartOfALongTextIsNoRepetition() {
    String rest =
        IntStream.range(0, 60).mapToObj(i -> "chapter" + i).collect(Collectors.joining(" "));
    assertRepetition(false, FACT, FACT + " " + rest);
  }
}
