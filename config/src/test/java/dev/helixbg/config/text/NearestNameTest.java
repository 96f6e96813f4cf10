package dev.helixbg.config.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
  private static final List<String> NAMES =
      List.of("auth", "broker", "findings", "done", "photo-pipeline", "--json", "Auth0");

  @ParameterizedTest
  @CsvSource({
    "aut, auth",
    "atuh, auth",
    "AUTH, auth",
    "brokre, broker",
    "borker, broker",
    "finding, findings",
    "fidnigns, findings",
    "dine, done",
    "photo, photo-pipeline",
    "photo-pipelines, photo-pipeline",
    "--jsno, --json",
    "auth0, Auth0"
  })
  void aSlipOfTheFingersIsUnderstood(String typed, String meant) {
    assertEquals("; did you mean " + meant + "?", NearestName.meant(typed, NAMES, ""));
  }

  @ParameterizedTest
  @CsvSource({"xyz", "''", "a", "payments", "--help"})
  void whatIsFarIsNotGuessed(String typed) {
    assertEquals(Optional.empty(), NearestName.of(typed, NAMES));
  }

  /** Random ids are never near each other; an id with a wrong digit is near the correct id. */
  @Test
  void noIdIsTakenForAnotherOne() {
    Random random = new Random(3);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      ids.add("rel-%010x".formatted(random.nextLong() & 0xff_ffff_ffffL));
    }
    for (int i = 0; i < 60; i++) {
      String id = ids.get(random.nextInt(ids.size()));
      int at = 4 + random.nextInt(10);
      String slip = id.substring(0, at) + 'x' + id.substring(at + 1);
      assertEquals(Optional.of(id), NearestName.of(slip, ids));
      String other = "rel-%010x".formatted(random.nextLong() & 0xff_ffff_ffffL);
      assertEquals(Optional.empty(), NearestName.of(other, ids));
    }
  }

  /** The search is fast even if the names, such as topics, are very long. */
  @Test
  void lengthCostsNothing() {
    String topic = "a".repeat(60_000);
    String said = NearestName.meant("aaa", List.of(topic), "");
    assertEquals(true, said.length() < 200, said);
    assertEquals(Optional.empty(), NearestName.of(topic, List.of("b".repeat(60_000))));
  }
}
