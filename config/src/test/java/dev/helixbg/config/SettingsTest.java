package dev.helixbg.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Settings.LlmSettings;
import dev.helixbg.config.Settings.LlmSettings.LlmBackend;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Checks that the text of settings contains each value, because texts are compared to detect
 * changes.
 */
class SettingsTest {

  @Test
  void theTextsOfLlmSettingsHaveAllOfThem() throws ReflectiveOperationException {
    assertTellsAll(new LlmSettings(Optional.of(Path.of("/m.gguf")), 1, LlmBackend.METAL));
  }

  private static void assertTellsAll(Record settings) throws ReflectiveOperationException {
    List<String> values = new ArrayList<>();
    for (RecordComponent component : settings.getClass().getRecordComponents()) {
      values.add(String.valueOf(component.getAccessor().invoke(settings)));
    }
    assertEquals(values.toString(), settings.toString());
  }
}
