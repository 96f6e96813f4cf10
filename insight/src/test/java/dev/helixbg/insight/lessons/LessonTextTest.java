package dev.helixbg.insight.lessons;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which answers of a model are accepted as the lesson of an entry. */
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
    String own = "After 10 seconds a repeated request to PayPoint needs a key of its own.";
    assertEquals(Optional.of(own), of(own), "names and numbers of the entry");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // no lesson
        "-",
        "",
        "None.",
        "No lesson here.",
        // long or broken
        LESSON + " " + LESSON,
        LESSON + " " + LESSON + " " + LESSON,
        "A request that may be repeated needs a key, so that …",
        "A request that may be repeated\nneeds a key of its own.",
        "A request <|im_end|> that may be repeated needs a key.",
        "A request that may be \u001b[31m repeated needs a key.",
        // with a name or a number that the entry does not have
        "A request that Stripe may repeat needs a key of its own.",
        "Within 30 seconds a repeated request needs a key of its own.",
        "A repeated request needs the requestKey of its first run.",
        "A repeated request needs what src/keys.go makes for it.",
        // a copy of the entry
        "The gateway answered after our limit, so we sent the capture again."
      })
  void anythingElseIsNone(String answer) {
    assertEquals(Optional.empty(), of(answer));
  }
}
