package dev.helixbg.insight.search;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairReader.Kind;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.search.AlreadySaid.Answer;
import dev.helixbg.insight.search.AlreadySaid.Near;
import dev.helixbg.insight.search.AlreadySaid.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests the answers that follow from the vectors of the nearest entries and from the readings of
 * the pair judges.
 */
class AlreadySaidTest {
  /** Logits of same, overtaken, related and different, by the first word of an entry. */
  private static final Map<String, float[]> OPINIONS =
      Map.of(
          "same", new float[] {9, 0, 0, 0},
          "likely", new float[] {6, 0, 0, 0},
          "it", new float[] {9, 0, 0, 0},
          "overtaken", new float[] {0, 7, 0, 0},
          "doubtful", new float[] {0, 0, 1, 1},
          "other", new float[] {-9, -9, 0, 9});

  private static final PairSource.Judge JUDGE =
      new PairSource.Judge("", new PairCalibration(1, 2, 2, 0), new PairCalibration(1, 0.9, 2, 0));

  private static final String TEXT = "it listens at port 7";

  private final List<PairReader.Texts> read = new ArrayList<>();
  private boolean whole = true;
  private boolean indexed = true;
  private boolean textRead = true;
  private Kind kind = Kind.NOTES;

  private Question question(double nearest, String... entries) {
    return new Question(
        TEXT,
        whole,
        indexed,
        IntStream.range(0, entries.length)
            .mapToObj(i -> near(entries[i], nearest - i / 100.0))
            .toList());
  }

  private AlreadySaid ask(double nearest, String... entries) throws InterruptedException {
    PairReader reader =
        new PairReader() {
          @Override
          public void read(List<Texts> pairs, Sink sink) {
            for (int i = pairs.size() - 1; i >= 0; i--) {
              read.add(pairs.get(i));
              sink.accept(
                  i, new Reading(OPINIONS.get(pairs.get(i).older().split(" ")[0]), true, textRead));
            }
          }

          @Override
          public void close() {}
        };
    return question(nearest, entries).read(reader, JUDGE, 0.92);
  }

  /**
   * Facts of memory files are short, so the cosine of two texts that state the same fact can be
   * low.
   */
  @Test
  void aFactIsReadByItsOwnJudgeAtAnyCosine() throws Exception {
    kind = Kind.FACTS;
    assertSaid(Answer.YES, "same", ask(0.2, "other", "same"));
    assertEquals(new PairReader.Texts(Kind.FACTS, "other", TEXT), read.getLast());
    assertSaid(Answer.NO, "", ask(0.2, "other"));
    assertSaid(Answer.PERHAPS, "", question(0.2, "other").byVectors(0.92));
  }

  /**
   * Returns a similar entry. If {@code entry} is one word, the whole entry equals the text except
   * for an article, so that only the reading decides.
   */
  private Near near(String entry, double similarity) {
    String whole = entry.contains(" ") ? entry : TEXT.replace("port", "the port");
    return new Near(entry.split(" ")[0], kind, entry, whole, similarity);
  }

  /**
   * All characters of an unknown writing system look alike to the models, so the answer is neither
   * yes nor no.
   */
  @Test
  void ofATextInAScriptThatTheModelsCannotReadNothingIsKnown() throws Exception {
    String text = "会議は二時に始まる";
    for (Question other : List.of(asked(text, "会議は三時に始まる", 0.99), asked(text, "b", 0.1))) {
      assertSaid(Answer.UNKNOWN, "", other.byVectors(0.92));
      assertSaid(Answer.UNKNOWN, "", other.read(null, JUDGE, 0.92));
    }
    assertSaid(Answer.YES, "a", asked(text, text + "\r\n", 0.99).byVectors(0.92));
  }

  /** Returns a question about a text with one similar entry. */
  private static Question asked(String text, String entry, double similarity) {
    Near near = new Near("a", Kind.NOTES, entry.strip(), entry, similarity);
    return new Question(text, true, true, List.of(near));
  }

  private static void assertSaid(Answer answer, String entry, AlreadySaid said) {
    assertEquals(answer, said.answer(), said::toString);
    assertEquals(Optional.of(entry).filter(name -> !name.isEmpty()), said.entry());
  }

  @Test
  void theSurestAnswerCounts() throws Exception {
    assertSaid(Answer.YES, "same", ask(0.7, "other", "likely", "same", "overtaken"));
    AlreadySaid said = ask(0.7, "other", "likely", "overtaken when the port was 8");
    assertSaid(Answer.CONTRADICTS, "overtaken", said);
    assertEquals(Optional.of("numbers: 8, 7"), said.differs());
    assertSaid(Answer.PERHAPS, "doubtful", ask(0.7, "other", "doubtful"));
    assertSaid(Answer.NO, "", ask(0.7, "other"));
  }

  @Test
  void anEntryInNearlyTheSameWordsComesBeforeAContradiction() throws Exception {
    assertSaid(
        Answer.PERHAPS, "it", ask(0.9, "it listens at port 8", "overtaken when the port was 8"));
  }

  /**
   * If an entry equals the text except in form, the answer is yes, no matter what the judge or the
   * vector says.
   */
  @Test
  void theVeryTextIsSaidAlreadyInAnyForm() throws Exception {
    assertSaid(Answer.YES, "-", ask(0.7, "- **It listens**\n  at port\u00a07."));
    AlreadySaid said = ask(0.7, "overtaken", TEXT + "\n");
    assertSaid(Answer.YES, "it", said);
    assertEquals(OptionalDouble.of(1), said.probability());
    assertEquals(List.of(), read);
    assertSaid(Answer.YES, "a", asked(TEXT, TEXT, 0.7).byVectors(0.92));
  }

  @Test
  void itIsReadAsTheNewerOneAndOnlyWithWhatIsNear() throws Exception {
    assertSaid(Answer.NO, "", ask(0.46, "other", "other", "same"));
    assertEquals(2, read.size());
    assertEquals(new PairReader.Texts(Kind.NOTES, "other", TEXT), read.getFirst());
    read.clear();
    ask(0.9, IntStream.range(0, 20).mapToObj(i -> "other").toArray(String[]::new));
    assertEquals(AlreadySaid.READ, read.size());
    assertSaid(Answer.NO, "", ask(0.3));
  }

  @Test
  void whatDiffersOrWasNotReadIsNotCalledTheSame() throws Exception {
    AlreadySaid said = ask(0.7, "same but for port 8");
    assertSaid(Answer.PERHAPS, "same", said);
    assertEquals(Optional.of("numbers: 8, 7"), said.differs());
    textRead = false;
    assertSaid(Answer.PERHAPS, "same", ask(0.7, "same"));
  }

  /** Vectors of two texts can be nearly equal although one fact differs. */
  @Test
  void nearnessAloneEarnsNoYes() throws Exception {
    for (String entry : List.of("doubtful", "doubtful about port 8")) {
      AlreadySaid said = ask(0.99, entry);
      assertSaid(Answer.PERHAPS, "doubtful", said);
      assertEquals(true, said.probability().isPresent());
    }
    assertSaid(Answer.PERHAPS, "a", asked(TEXT, "it listens at port 8", 0.99).byVectors(0.92));
  }

  /** The matching passage may be equal to the text, but the rest of the entry may differ. */
  @Test
  void aChangedWordAnywhereInAnEntryForbidsYes() throws Exception {
    AlreadySaid said = ask(0.9, "it listens at port 8", "same");
    assertSaid(Answer.PERHAPS, "it", said);
    assertEquals(Optional.of("numbers: 8, 7"), said.differs());
  }

  @Test
  void nothingIsCalledNewThatIsNotKnownWhole() throws Exception {
    whole = false;
    assertSaid(Answer.PERHAPS, "other", ask(0.7, "other"));
    indexed = false;
    assertSaid(Answer.UNKNOWN, "", ask(0.7, "other"));
    assertSaid(Answer.UNKNOWN, "", ask(0.7, "doubtful"));
    assertSaid(Answer.YES, "same", ask(0.7, "same"));
  }
}
