package dev.helixbg.insight.lessons;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the results of {@code bench lessons}, in which readers take the place of a model. */
class LessonsBenchTest {

  @Test
  void mostPlantedLessonsAreNamedAndLittleElse() throws Exception {
    LessonsBench.Result result =
        LessonsBench.run(
            Path.of("src", "judge"), Path.of("../embed/target/test-cache").toAbsolutePath(), 2);
    assertEquals(488, result.notes());
    assertEquals(38, result.planted());
    assertEquals(List.of(), result.unread());
    assertTrue(result.named().planted().size() >= 20, result.toString());
    assertTrue(result.named().wrong() <= 2, result.toString());
    int heldOut = result.byWriter().values().stream().mapToInt(one -> one.named()).sum();
    assertTrue(heldOut >= 20, result.toString());
  }

  @Test
  void ofPublicNotesNothingWrongIsNamed() throws Exception {
    LessonsBench.PublicResult result =
        LessonsBench.ofPublicNotes(
            Path.of("src", "judge"), Path.of("../embed/target/test-cache").toAbsolutePath(), 2);
    assertEquals(142, result.sentences());
    assertEquals(List.of(), result.unread());
    assertTrue(result.named().groups() > 0, result.toString());
    assertEquals(0, result.named().wrong(), result.toString());
  }
}
