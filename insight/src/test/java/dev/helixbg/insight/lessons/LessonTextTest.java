package dev.helixbg.insight.lessons;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a model wrote as the lesson of an entry is believed only where it can be one. */
class LessonTextTest {
  private static final String ENTRY =
      "Customer 8812 was charged twice: the gateway answered after our limit of 10 s, so we sent"
          + " the capture to PayPoint again. We now send `Idempotency-Key` with every request.";

  private static final String LESSON =
      "A request that may be repeated needs a key, so that the second one changes nothing.";

  private static Optional<String> of(String answer) {
    return LessonText.of(answer, "billing", ENTRY);
  }

  @Test
  void aPlainSentenceIsALesson() {
    assertEquals(Optional.of(LESSON), of(LESSON));
    assertEquals(Optional.of(LESSON), of("<think>\n\n</think>\n\n\"" + LESSON + "\""));
    assertEquals(Optional.of(LESSON), of("Lesson: " + LESSON));
  }

  @Test
  void aHyphenIsNone() {
    assertEquals(Optional.empty(), of("-"));
    assertEquals(Optional.empty(), of(""));
    assertEquals(Optional.empty(), of("None."));
    assertEquals(Optional.empty(), of("No lesson here."));
  }

  @Test
  void whatIsLongOrBrokenIsNone() {
    assertEquals(Optional.empty(), of(LESSON + " " + LESSON));
    assertEquals(Optional.empty(), of((LESSON + " ").repeat(3)));
    assertEquals(Optional.empty(), of("A request that may be repeated needs a key, so that …"));
    assertEquals(Optional.empty(), of("A request that may be repeated\nneeds a key of its own."));
    assertEquals(Optional.empty(), of("A request <|im_end|> that may be repeated needs a key."));
    assertEquals(Optional.empty(), of("A request that may be \u001b[31m repeated needs a key."));
  }

  @Test
  void namesAndNumbersHaveToBeTheEntrysOwn() {
    assertEquals(Optional.empty(), of("A request that Stripe may repeat needs a key of its own."));
    assertEquals(
        Optional.empty(), of("Within 30 seconds a repeated request needs a key of its own."));
    assertEquals(Optional.empty(), of("A repeated request needs the requestKey of its first run."));
    assertEquals(Optional.empty(), of("A repeated request needs what src/keys.go makes for it."));
    String own = "After 10 seconds a repeated request to PayPoint needs a key of its own.";
    assertEquals(Optional.of(own), of(own));
  }

  @Test
  void aCopyOfTheEntryIsNone() {
    assertEquals(
        Optional.empty(),
        of("The gateway answered after our limit, so we sent the capture again."));
  }
}
