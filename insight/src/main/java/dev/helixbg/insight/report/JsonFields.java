package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.config.text.PrintableText;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Fields of report.json: none so long that a reader refuses it, numbers with six decimals at most.
 */
abstract class JsonFields {
  /**
   * A text is cut after this many UTF-16 units; the report is not a copy of the log. More than any
   * name of an entry has.
   */
  static final int MAX_TEXT = 20_000;

  /** Longest tag, source or sentence of a model, in UTF-16 units. */
  static final int MAX_LINE = 1_000;

  final JsonGenerator json;

  JsonFields(JsonGenerator json) {
    this.json = json;
  }

  /** Writes the fields of a value. */
  interface FieldWriter<T> {
    void write(T value) throws IOException;
  }

  final void optional(String field, Optional<String> value) throws IOException {
    json.writeStringField(field, value.map(JsonFields::bounded).orElse(null));
  }

  final void text(String field, String value) throws IOException {
    json.writeStringField(field, bounded(value));
  }

  /** Bounds a value of any kind and writer: logs, answers and the history are files of others. */
  static String bounded(String value) {
    return PrintableText.wellFormed(PrintableText.beginning(value, MAX_TEXT));
  }

  static String line(String text) {
    return PrintableText.beginning(text, MAX_LINE);
  }

  /** Six decimals at most; what is not a number is null. */
  final void decimal(String field, double value) throws IOException {
    json.writeFieldName(field);
    if (Double.isFinite(value)) {
      json.writeNumber(NumberWords.trimmed(value, 6));
    } else {
      json.writeNull();
    }
  }

  /** Writes an object; null without a value. */
  final <T> void object(String field, T value, FieldWriter<T> fields) throws IOException {
    json.writeFieldName(field);
    if (value == null) {
      json.writeNull();
    } else {
      object(value, fields);
    }
  }

  final <T> void list(String field, List<T> items, FieldWriter<T> fields) throws IOException {
    json.writeArrayFieldStart(field);
    for (T item : items) {
      object(item, fields);
    }
    json.writeEndArray();
  }

  final <T> void object(T value, FieldWriter<T> fields) throws IOException {
    json.writeStartObject();
    fields.write(value);
    json.writeEndObject();
  }

  final void texts(String field, List<String> texts) throws IOException {
    json.writeArrayFieldStart(field);
    for (String text : texts) {
      json.writeString(bounded(text));
    }
    json.writeEndArray();
  }
}
