package dev.helixbg.llm.gguf;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The key-value part of a model file, with the position of every value, so that errors can name the
 * position. A value is a Long (as signed), Float, Double, Boolean, String or {@link GgufArray}.
 */
public final class GgufMetadata {
  private final String file;
  private final SequencedMap<String, Object> values = new LinkedHashMap<>();
  private final Map<String, Long> offsets = new LinkedHashMap<>();

  GgufMetadata(String file) {
    this.file = file;
  }

  /** Adds a value; returns false if the key already exists. */
  boolean add(String key, Object value, long offset) {
    offsets.putIfAbsent(key, offset);
    return values.putIfAbsent(key, value) == null;
  }

  public SequencedMap<String, Object> values() {
    return Collections.unmodifiableSequencedMap(values);
  }

  public boolean has(String key) {
    return values.containsKey(key);
  }

  /** Returns a whole number; throws if it is missing, of another type or out of bounds. */
  public int whole(String key, int least, int most) {
    if (!(required(key) instanceof Long number)) {
      throw wrongType(key, "a whole number");
    }
    if (number < least || number > most) {
      throw error(key, "the value %d is not between %d and %d".formatted(number, least, most));
    }
    return number.intValue();
  }

  /** Returns a positive, finite number; throws if there is none. */
  public double positive(String key) {
    if (!(required(key) instanceof Number number)) {
      throw wrongType(key, "a number");
    }
    double value = number.doubleValue();
    if (!(value > 0 && Double.isFinite(value))) {
      throw error(key, "the value %s is not a positive number".formatted(number));
    }
    return value;
  }

  /** Returns a string; throws if there is none. */
  public String text(String key) {
    if (!(required(key) instanceof String value)) {
      throw wrongType(key, "a string");
    }
    return value;
  }

  /** Returns an array; throws if there is none of at most {@code most} elements. */
  public GgufArray array(String key, int most) {
    if (!(required(key) instanceof GgufArray array)) {
      throw wrongType(key, "an array");
    }
    if (array.count() > most) {
      throw error(
          key, "the array has %d elements; at most %d are accepted".formatted(array.count(), most));
    }
    return array;
  }

  public GgufException error(String key, String what) {
    return new GgufException(file, what, offsets.getOrDefault(key, GgufException.NO_OFFSET), key);
  }

  private Object required(String key) {
    Object value = values.get(key);
    if (value == null) {
      throw error(key, "the key is missing");
    }
    return value;
  }

  private GgufException wrongType(String key, String wanted) {
    String found = values.get(key).getClass().getSimpleName();
    return error(key, "%s is expected, not a %s".formatted(wanted, found));
  }
}
