package dev.helixbg.llm.gguf;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.IntStream;

/**
 * The key-value part of a model file, with the position of every value, so that errors can name the
 * position. A value is a Long (a {@link BigInteger} if it needs 64 unsigned bits), Float, Double,
 * Boolean, String or {@link GgufArray}.
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

  /**
   * Returns the whole number of a key.
   *
   * @throws GgufException if the number is missing, of another type, or not within the bounds
   */
  public int whole(String key, int least, int most) {
    return whole(key, required(key), least, most);
  }

  /**
   * Returns the whole number of a key, like {@link #whole}. The file may also store the number as
   * an array, with an equal element for each layer.
   */
  public int wholeOfAllLayers(String key, int least, int most) {
    if (!(required(key) instanceof GgufArray array)) {
      return whole(key, least, most);
    }
    int[] each = array.ints();
    if (each.length == 0 || IntStream.of(each).anyMatch(one -> one != each[0])) {
      throw error(
          key,
          "models whose layers have different values are not supported: " + Arrays.toString(each));
    }
    return whole(key, (long) each[0], least, most);
  }

  private int whole(String key, Object number, int least, int most) {
    return switch (number) {
      case Long value when value >= least && value <= most -> value.intValue();
      case Long _, BigInteger _ ->
          throw error(
              key, "the value %s is not between %d and %d".formatted(values.get(key), least, most));
      default -> throw wrongType(key, "a whole number");
    };
  }

  /**
   * Returns the number of a key, which must be positive.
   *
   * @throws GgufException if the key is missing, or its value is not a positive, finite number
   */
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

  /**
   * Returns the string of a key.
   *
   * @throws GgufException if the key is missing or its value is not a string
   */
  public String text(String key) {
    if (!(required(key) instanceof String value)) {
      throw wrongType(key, "a string");
    }
    return value;
  }

  /**
   * Returns the array of a key.
   *
   * @throws GgufException if the key is missing, or its value is not an array of at most {@code
   *     most} elements
   */
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
