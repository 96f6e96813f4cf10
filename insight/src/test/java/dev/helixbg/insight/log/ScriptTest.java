package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "会議は二時に始まる",
        "秋天给果树施肥",
        "ประชุมเริ่มบ่ายสองโมง",
        "회의는 두 시에 시작한다",
        "nginx の設定を変更したら必ず再起動する"
      })
  void textsThatTheModelsHaveNoWordsForAreUnreadable(String text) {
    assertTrue(Script.isUnreadable(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "42 %",
        "The meeting begins at two",
        "Встреча начинается в два часа",
        "Η συνάντηση αρχίζει στις δύο",
        "The word 施肥 means to fertilise"
      })
  void othersAreNot(String text) {
    assertFalse(Script.isUnreadable(text));
  }

  @Test
  void onlyTheBeginningOfALongTextIsLookedAt() {
    assertTrue(Script.isUnreadable("施".repeat(10_000) + "a".repeat(1_000_000)));
  }
}
