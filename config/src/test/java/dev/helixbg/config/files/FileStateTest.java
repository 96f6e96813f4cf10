package dev.helixbg.config.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileStateTest {
  private static FileState changed(Instant time) {
    return new FileState(1, FileTime.from(time), FileTime.from(time), "inode");
  }

  /** A time far in the future means that the clock was set back. */
  @ParameterizedTest
  @CsvSource({"-3600, true", "-10, true", "0, false", "30, false", "3600, true"})
  void aChangeSomeSecondsAgoOrFarAheadIsSettled(int seconds, boolean isSettled) {
    assertEquals(isSettled, changed(Instant.now().plusSeconds(seconds)).isSettled());
  }

  @Test
  void aChangeFarAheadDoesNotHideALaterChange() {
    Instant now = Instant.now();
    assertEquals(now, changed(now).lastChange());
    assertEquals(Instant.EPOCH, changed(now.plusSeconds(3_600)).lastChange());
  }
}
