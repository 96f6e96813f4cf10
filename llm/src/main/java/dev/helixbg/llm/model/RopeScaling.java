package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.RopeAngles;
import dev.helixbg.llm.gguf.GgufMetadata;
import java.util.Locale;
import java.util.Set;

/**
 * How a model reads further than it was first trained for: positions are pressed together.
 *
 * <p>{@link Kind#LINEAR} divides all positions by the factor. {@link Kind#YARN} divides only those
 * of pairs that turn slowly, and multiplies queries and keys by a magnitude. Source: "YaRN:
 * Efficient Context Window Extension of Large Language Models" (arXiv 2309.00071), sections 3.2 to
 * 3.4.
 *
 * @param factor at least 1
 * @param trained positions before scaling
 * @param fast turns over the trained positions from which on a pair is not scaled
 * @param slow turns up to which it is scaled wholly
 */
public record RopeScaling(Kind kind, double factor, int trained, double fast, double slow) {
  /** The forms that are computed here. */
  public enum Kind {
    NONE,
    LINEAR,
    YARN
  }

  public static final RopeScaling NONE = new RopeScaling(Kind.NONE, 1, 1, 1, 1);

  private static final String PREFIX = "qwen3.rope.scaling.";
  private static final String TYPE = PREFIX + "type";
  private static final String FACTOR = PREFIX + "factor";
  private static final String TRAINED = PREFIX + "original_context_length";
  private static final String FAST = PREFIX + "yarn_beta_fast";
  private static final String SLOW = PREFIX + "yarn_beta_slow";

  /** Key of the scaling factor in older files, which name no type. */
  private static final String OLD_FACTOR = "qwen3.rope.scale_linear";

  /** Whether a model was trained with its scaling changes nothing. */
  private static final Set<String> KNOWN =
      Set.of(TYPE, FACTOR, TRAINED, FAST, SLOW, PREFIX + "finetuned");

  private static final double USUAL_FAST = 32;
  private static final double USUAL_SLOW = 1;

  /**
   * Reads the keys {@code qwen3.rope.scaling.*}; a factor without a type is linear.
   *
   * @param context positions of the model, with its scaling
   * @throws dev.helixbg.llm.gguf.GgufException if it is scaled in a way that is not computed here
   */
  static RopeScaling from(GgufMetadata metadata, int context) {
    String type = metadata.has(TYPE) ? metadata.text(TYPE) : "";
    if (type.equals("none")) {
      return NONE;
    }
    refuseUnknown(metadata);
    return switch (type) {
      case "", "linear" -> linear(metadata);
      case "yarn" -> yarn(metadata, context);
      default ->
          throw metadata.error(
              TYPE,
              "rope scaling \"%s\" is not supported, only \"linear\" and \"yarn\"".formatted(type));
    };
  }

  private static void refuseUnknown(GgufMetadata metadata) {
    for (String key : metadata.values().keySet()) {
      if (key.startsWith(PREFIX) && !KNOWN.contains(key)) {
        throw metadata.error(key, "rope scaling by this key is not supported");
      }
    }
  }

  private static RopeScaling linear(GgufMetadata metadata) {
    String key = metadata.has(FACTOR) ? FACTOR : OLD_FACTOR;
    double factor = metadata.has(key) ? factor(metadata, key) : 1;
    return factor == 1 ? NONE : new RopeScaling(Kind.LINEAR, factor, 1, 1, 1);
  }

  private static RopeScaling yarn(GgufMetadata metadata, int context) {
    return new RopeScaling(
        Kind.YARN,
        factor(metadata, FACTOR),
        metadata.has(TRAINED) ? metadata.whole(TRAINED, 1, Integer.MAX_VALUE) : context,
        metadata.has(FAST) ? metadata.positive(FAST) : USUAL_FAST,
        metadata.has(SLOW) ? metadata.positive(SLOW) : USUAL_SLOW);
  }

  private static double factor(GgufMetadata metadata, String key) {
    double factor = metadata.positive(key);
    if (factor < 1) {
      throw metadata.error(key, "the factor %s is below 1".formatted(factor));
    }
    return factor;
  }

  /**
   * The angles of heads.
   *
   * @param base of the rotation without scaling
   */
  RopeAngles angles(int headSize, double base) {
    RopeAngles plain = RopeAngles.of(headSize, base);
    double[] turns = plain.turns();
    for (int pair = 0; pair < turns.length; pair++) {
      double scaled = share(pair, headSize, base);
      turns[pair] *= scaled / factor + 1 - scaled;
    }
    return new RopeAngles(turns, kind == Kind.YARN ? 1 + 0.1 * Math.log(factor) : 1);
  }

  /** How far a pair is scaled: 0 not at all, 1 wholly. */
  private double share(int pair, int headSize, double base) {
    if (kind != Kind.YARN) {
      return 1;
    }
    double first = Math.max(Math.floor(pairTurning(fast, headSize, base)), 0);
    double last = Math.min(Math.ceil(pairTurning(slow, headSize, base)), headSize - 1);
    double width = last == first ? 0.001 : last - first;
    return Math.clamp((pair - first) / width, 0, 1);
  }

  /** The pair that turns so often over the trained positions; between two, as a rule. */
  private double pairTurning(double times, int headSize, double base) {
    return headSize * Math.log(trained / (times * 2 * Math.PI)) / (2 * Math.log(base));
  }

  /** In words, as {@code load-model} shows it. */
  @Override
  public String toString() {
    return kind == Kind.NONE
        ? "none"
        : String.format(Locale.ROOT, "%s by %s", kind.name().toLowerCase(Locale.ROOT), factor);
  }
}
