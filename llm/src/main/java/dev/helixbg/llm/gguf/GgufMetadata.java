package dev.helixbg.llm.gguf;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The key-value part of a model file, with the position of every value, so that errors can name the
 * position. A value is a Long (for all integers, read as signed), Float, Double, Boolean, String or
 * {@link GgufArray}.
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
    long number = required(key, Long.class, "a whole number");
    if (number < least || number > most) {
      throw error(key, "the value %d is not between %d and %d".formatted(number, least, most));
    }
    return (int) number;
  }

  /** Returns a positive, finite number; throws if there is none. */
  public double positive(String key) {
    Number number = required(key, Number.class, "a number");
    double value = number.doubleValue();
    if (!(value > 0 && Double.isFinite(value))) {
      throw error(key, "the value %s is not a positive number".formatted(number));
    }
    return value;
  }

  /** Returns a string; throws if there is none. */
  public String text(String key) {
    return required(key, String.class, "a string");
  }

  /** Returns an array; throws if it is missing or has more than {@code most} elements. */
  public GgufArray array(String key, int most) {
    GgufArray array = required(key, GgufArray.class, "an array");
    if (array.count() > most) {
      throw error(
          key, "the array has %d elements; at most %d are accepted".formatted(array.count(), most));
    }
    return array;
  }

  public GgufException error(String key, String what) {
    return new GgufException(file, what, offsets.getOrDefault(key, GgufException.NO_OFFSET), key);
  }

  private <T> T required(String key, Class<T> type, String wanted) {
    Object value = values.get(key);
    if (value == null) {
      throw error(key, "the key is missing");
    }
    if (!type.isInstance(value)) {
      String found = value.getClass().getSimpleName();
      throw error(key, "%s is expected, not a %s".formatted(wanted, found));
    }
    return type.cast(value);
  }
}
