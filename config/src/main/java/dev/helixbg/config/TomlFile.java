package dev.helixbg.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a settings file in TOML into a map from dotted names to the texts of their values. */
final class TomlFile {
  private static final long MAX_BYTES = 1 << 20;

  private TomlFile() {}

  /**
   * @throws ConfigException when the file cannot be read, is not TOML, or has an unknown name or a
   *     value of the wrong type
   */
  static Map<String, String> read(Path file) {
    JsonNode root;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ConfigException(file + " is larger than 1 MiB: that is no configuration file");
      }
      String text = Files.readString(file).replaceFirst("^\uFEFF", ""); // a byte order mark
      root = new TomlMapper().readTree(text);
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + " is not UTF-8: save it as UTF-8");
    } catch (JacksonException e) {
      throw new ConfigException(
          "%s line %d is not valid TOML: %s"
              .formatted(
                  file,
                  e.getLocation() == null ? 0 : e.getLocation().getLineNr(),
                  e.getOriginalMessage()));
    } catch (IOException e) {
      throw new ConfigException(
          "cannot read the configuration file %s: %s"
              .formatted(file.toAbsolutePath(), PrivateFiles.reason(e)));
    }
    Map<String, String> values = new LinkedHashMap<>();
    flatten(file, "", root, values);
    return values;
  }

  private static void flatten(
      Path file, String prefix, JsonNode table, Map<String, String> values) {
    Map<String, Setting<?>> settings = SettingCatalog.all();
    for (Map.Entry<String, JsonNode> field : table.properties()) {
      String name = prefix + field.getKey();
      JsonNode value = field.getValue();
      if (!settings.containsKey(name)) {
        if (!value.isObject()) {
          throw SettingCatalog.unknown(name + " in " + file, name, settings.keySet());
        }
        flatten(file, name + ".", value, values);
        continue;
      }
      Setting.Kind kind = settings.get(name).kind();
      if (!isOf(kind, value)) {
        throw new ConfigException(name + " in " + file + " is not valid: write " + example(kind));
      }
      values.put(
          name,
          switch (kind) {
            case TEXT, INTEGER -> value.asText();
            case NUMBER -> // asText() writes 30.0 as 3E+1
                value.isIntegralNumber() ? value.asText() : Double.toString(value.asDouble());
            case LIST -> joined(file, name, value);
          });
    }
  }

  private static String joined(Path file, String name, JsonNode list) {
    List<String> texts = new ArrayList<>();
    for (JsonNode text : list) {
      if (text.asText().contains(Setting.Kind.SEPARATOR)) {
        throw new ConfigException(
            "%s in %s is not valid: %s must not contain %s"
                .formatted(name, file, text.asText(), Setting.Kind.SEPARATOR));
      }
      texts.add(text.asText());
    }
    return String.join(Setting.Kind.SEPARATOR, texts);
  }

  private static boolean isOf(Setting.Kind kind, JsonNode value) {
    return switch (kind) {
      case TEXT -> value.isTextual();
      case INTEGER -> value.isIntegralNumber();
      case NUMBER -> value.isNumber();
      case LIST -> value.isArray() && value.valueStream().allMatch(JsonNode::isTextual);
    };
  }

  private static String example(Setting.Kind kind) {
    return switch (kind) {
      case TEXT -> "a text in quotes";
      case INTEGER -> "a whole number without quotes";
      case NUMBER -> "a number without quotes";
      case LIST -> "texts in quotes, between brackets";
    };
  }
}
