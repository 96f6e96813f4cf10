package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Tier;
import dev.helixbg.insight.findings.NearestPair;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PairAssessorTest {
  private static final PairAssessor ASSESSOR =
      new PairAssessor(new PairCalibration(1, 0.8, 0.7, 8), PairFit.NONE);

  private static final float[] SAME = {5, 0, 0, 0};
  private static final float[] OVERTAKEN = {0, 5, 0, 0};
  private static final float[] RELATED = {0, 0, 5, 0};
  private static final float[] DIFFERENT = {0, 0, 0, 5};

  private static Assessment of(float[] logits, boolean olderWhole, boolean newerWhole) {
    Reading reading = new Reading(logits, olderWhole, newerWhole);
    return of(ASSESSOR, reading, 0, "the limit", "the bound");
  }

  /** Returns the assessment of two texts that the judge calls the same. */
  private static Assessment same(String older, String newer) {
    return of(ASSESSOR, new Reading(SAME, true, true), 0, older, newer);
  }

  private static Assessment of(
      PairAssessor assessor, Reading reading, double score, String older, String newer) {
    ActFrequency usual = new ActFrequency(ActFrequency.CALIBRATED);
    return assessor.of(reading, score, older, newer, usual);
  }

  @Test
  void whatIsLikelyIsNamed() {
    assertEquals(Tier.LIKELY_SAME, of(SAME, true, true).tier());
    assertEquals(Tier.LIKELY_OVERTAKEN, of(OVERTAKEN, true, true).tier());
    assertEquals(Tier.RELATED, of(RELATED, true, true).tier());
    assertEquals(Tier.NONE, of(DIFFERENT, true, true).tier());
  }

  @Test
  void whatNoBoundReachesIsNotNamed() {
    PairAssessor abstains = new PairAssessor(new PairCalibration(1, 2, 2, 8), PairFit.NONE);
    Assessment said = of(abstains, new Reading(SAME, true, true), 0, "a", "b");
    assertEquals(Tier.RELATED, said.tier());
    assertTrue(said.mayBeWorthAnAct());
    assertEquals(Optional.empty(), said.objection());
  }

  /**
   * All characters of an unknown writing system look alike to the judge, so its result does not
   * count.
   */
  @Test
  void textsInAScriptThatTheJudgeCannotReadAreUnknownAndDoNotLead() {
    Assessment said = of(ASSESSOR, new Reading(SAME, true, true), 1, "会議は二時に始まる", "会議は三時に始まる");
    assertEquals(Tier.UNKNOWN, said.tier());
    assertFalse(said.mayLead());
    assertFalse(said.mayBeWorthAnAct());
  }

  @Test
  void whatWasNotReadIsNotCalledTheSame() {
    assertEquals(Tier.RELATED, of(SAME, true, false).tier());
    assertEquals(Tier.RELATED, of(SAME, false, true).tier());
    assertEquals(
        "at least one of the two entries was not read to the end",
        of(SAME, true, false).objection().orElseThrow());
    assertEquals(Tier.LIKELY_OVERTAKEN, of(OVERTAKEN, true, false).tier());
    assertEquals(Tier.RELATED, of(OVERTAKEN, false, true).tier());
  }

  @Test
  void logOddsAreThoseOfSameOrOvertaken() {
    assertTrue(of(SAME, true, true).logOdds() > 4);
    assertTrue(of(DIFFERENT, true, true).logOdds() < -4);
    assertEquals(0, of(new float[] {1, 1, 1, 1}, true, true).logOdds(), 1e-12);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "VAT is 9 % in Denmark | VAT is 8 % in Denmark | numbers: 9, 8",
        "needs Java 21.0.2 | needs Java 21.0.4 | numbers: 21.0.2, 21.0.4",
        "we keep three replicas | we keep 5 replicas | numbers: 3, 5",
        "pass --dry-run first | pass --verbose first | identifiers: --dry-run, --verbose",
        "it reads max_size | it reads min_size | identifiers: max_size, min_size",
        "the job retries on failure | the job does not retry on failure | only one text negates:"
            + " retry",
        "Der Dienst startet neu | Der Dienst startet nicht neu | only one text negates: neu",
      })
  void whatDisagreesForbidsTheSame(String older, String newer, String why) {
    Assessment said = same(older, newer);
    assertEquals(Optional.of(why), said.objection());
    assertEquals(Tier.RELATED, said.tier());
    Assessment swapped = same(newer, older);
    assertEquals(Tier.RELATED, swapped.tier());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the limit is 1,024 | the limit is 1024 requests",
        "we keep three replicas | there are 3 replicas",
        "the lease lasts 30 s | the lease lasts half a minute",
        "it never retries | it does not retry",
        "max_size is 9 | max_size, which the worker reads, is 9; see ADR-12",
        "'' | ''",
      })
  void whatIsSaidInOtherWordsOrInMoreDetailDoesNot(String older, String newer) {
    Assessment said = same(older, newer);
    assertEquals(Optional.empty(), said.objection());
    assertEquals(Tier.LIKELY_SAME, said.tier());
  }

  /** Long and malformed texts are compared without an error, and quickly. */
  @Test
  void oddTextsAreLookedAt() {
    String odd = "\uD83D not --" + "a.".repeat(200_000) + " 1".repeat(100_000);
    PairDisagreement.of(odd, "b"); // does not fail
    assertEquals(Optional.empty(), PairDisagreement.of(odd, odd));
  }

  /** The time for a long text without blanks must not grow with the square of its length. */
  @ParameterizedTest
  @ValueSource(strings = {"字", "a"})
  @Timeout(30)
  void aTextWithoutBlanksIsReadOnce(String letter) {
    String text = letter.repeat(50_000);
    assertEquals(Optional.empty(), PairDisagreement.opposition(text, text + ", and more"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Always squash before merging. | Never squash: keep the history. | true",
        "Never: Squash commits. | Always squash commits. | true",
        "Push to main. | Do not push to main. | true",
        "Always run the tests. | Always run the linter. | false",
        "Never log secrets. | Don't print tokens. | false",
        "总是先压缩提交 | 禁止压缩提交 | true",
        "总是先压缩提交 | 在主分支上禁止压缩提交 | true",
        "总是先压缩提交 | 提交规则：主分支上禁止压缩 | true",
        "Always run the checks. | Whenever you deploy, run the checks. | false",
        "The flag is enabled in production. | In production the flag is disabled. | true",
        "Das Feature ist aktiviert. | In Produktion ist das Feature deaktiviert. | true",
        "La fonction est activée. | En production, la fonction est désactivée. | true",
        "La función está activada. | En producción la función está desactivada. | true",
        "Функция включена в продакшене. | В продакшене функция выключена. | true",
        "Include the lock file. | Do not include the lock file. | true",
        "Exclude the lock file. | Never include the lock file. | false",
        "Enable a, and disable b. | Disable b, and enable a. | false",
        "Mock the database in tests. | Avoid mocking the database in tests. | true",
        "Use default exports in the web app. | Stop using default exports in the web app. | true",
        "Stop the worker before a migration. | Always stop the worker first. | false",
        "Run migrations by hand. | It is forbidden to run migrations by hand. | true",
        "Mock the database in tests. | What not to do: Mock the database in tests. | true",
        "Mock the database in tests. | Don'ts: Mock the database in tests. | true",
        "Mock the database in tests. | Anti-patterns: Mock the database in tests. | true",
        "Mock the database in tests. | Запрещено: Mock the database in tests. | true",
        "Mock the database in tests. | Common mistakes: Mock the database in tests. | true",
        "The tests fail without Docker. | Common mistakes: The tests fail without Docker. | false",
        "Forgetting to migrate breaks it. | Past mistakes: Forgetting to migrate breaks it. |"
            + " false",
        "The module is for the app. | Deprecated: The module is for the app. | false",
        "Do not use classes for components. | Components are functions, not classes. | false",
        "Don't use unnecessary callbacks with flatMap. | Use flatMap instead of map. | false",
        "Do not use Redis for sessions. | Use Redis for sessions. | true",
        "Redis is not used any more. | Redis is used for sessions. | true",
        "Don't commit without running the tests. | Run the tests before you commit. | false",
        "Don't deploy without approval. | Deploy without approval. | true",
        "Don't mock the database. | Tests must use a real database and not mocks. | false"
      })
  void anInstructionAndOneThatForbidsItAreOpposed(String one, String other, boolean opposed) {
    assertEquals(opposed, PairDisagreement.opposition(one, other).isPresent());
    assertEquals(opposed, PairDisagreement.opposition(other, one).isPresent());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "The flag is enabled in production. | The flag is disabled in production. | RELATED",
        "The job runs at night in UTC. | The job runs at night in local time. | RELATED",
        "The server is in Frankfurt. | The server was in Frankfurt until June. | RELATED",
        "Node 18 is required. | At least Node 18 is required. | RELATED",
        "The app hardly supports the dark mode. | The app supports the dark mode. | RELATED",
        "Кэш очищается при запуске. | Кэш не очищается при запуске. | RELATED",
        "Run migrations before starting the app. | Start the app before running migrations. |"
            + " RELATED",
        "Run migrations before the app starts. | Running migrations before the app starts. |"
            + " LIKELY_SAME",
        "The flag is enabled in production. | In production we have the flag. | LIKELY_SAME"
      })
  void factsOfWhichEachSaysSomethingElseAreNotTheSame(String one, String other, Tier tier) {
    Finding.Relation facts =
        NearestPair.of(
            "rel-1",
            FactOddsTest.fact(1, "MEMORY.md", one),
            FactOddsTest.fact(2, "MEMORY.md", other),
            1,
            0.9);
    Assessment said = ASSESSOR.ofFacts(new Reading(SAME, true, true), facts);
    assertEquals(tier, said.tier());
    assertEquals(tier == Tier.RELATED, said.objection().isPresent());
  }
}
