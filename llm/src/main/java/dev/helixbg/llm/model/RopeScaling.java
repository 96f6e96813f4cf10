package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.RopeAngles;
import dev.helixbg.llm.gguf.GgufMetadata;
import java.util.Set;

/**
 * Scaling of positions for texts longer than the model was first trained for.
 *
 * <p>The positions of slowly turning pairs are divided by the factor; queries and keys are
 * multiplied by a magnitude. Source: "YaRN: Efficient Context Window Extension of Large Language
 * Models" (arXiv 2309.00071), sections 3.2 to 3.4.
 *
 * @param factor divisor of positions, at least 1
 * @param trained number of trained positions before scaling
 * @param fast number of turns over the trained positions, from which on a pair is not scaled
 * @param slow number of turns up to which a pair is fully scaled
 */
public record RopeScaling(double factor, int trained, double fast, double slow) {
  /** No scaling. */
  public static final RopeScaling NONE = new RopeScaling(1, 1, 1, 1);

  /** Prefix of all keys of scaling, including older keys. */
  private static final String ANY = "qwen3.rope.scal";

  private static final String PREFIX = ANY + "ing.";
  private static final String TYPE = PREFIX + "type";
  private static final String FACTOR = PREFIX + "factor";
  private static final String TRAINED = PREFIX + "original_context_length";
  private static final String FAST = PREFIX + "yarn_beta_fast";
  private static final String SLOW = PREFIX + "yarn_beta_slow";

  /** Known keys of YaRN; {@code finetuned} has no effect. */
  private static final Set<String> KNOWN =
      Set.of(TYPE, FACTOR, TRAINED, FAST, SLOW, PREFIX + "finetuned");

  private static final double USUAL_FAST = 32;
  private static final double USUAL_SLOW = 1;

  /**
   * Reads the keys {@code qwen3.rope.scaling.*}.
   *
   * @param context number of the model's positions, with scaling
   * @throws dev.helixbg.llm.gguf.GgufException if the kind of scaling is not supported
   */
  static RopeScaling from(GgufMetadata metadata, int context) {
    String type = metadata.has(TYPE) ? metadata.text(TYPE) : "";
    return switch (type) {
      case "none" -> NONE;
      case "" -> {
        refuse(metadata, Set.of());
        yield NONE;
      }
      case "yarn" -> {
        refuse(metadata, KNOWN);
        yield yarn(metadata, context);
      }
      default ->
          throw metadata.error(
              TYPE, "rope scaling \"%s\" is not supported, only \"yarn\"".formatted(type));
    };
  }

  /** Refuses other keys of scaling than {@code known}. */
  private static void refuse(GgufMetadata metadata, Set<String> known) {
    for (String key : metadata.values().keySet()) {
      if (key.startsWith(ANY) && !known.contains(key)) {
        throw metadata.error(key, "rope scaling by this key is not supported");
      }
    }
  }

  private static RopeScaling yarn(GgufMetadata metadata, int context) {
    return new RopeScaling(
        factor(metadata),
        metadata.has(TRAINED) ? metadata.whole(TRAINED, 1, Integer.MAX_VALUE) : context,
        metadata.has(FAST) ? metadata.positive(FAST) : USUAL_FAST,
        metadata.has(SLOW) ? metadata.positive(SLOW) : USUAL_SLOW);
  }

  private static double factor(GgufMetadata metadata) {
    double factor = metadata.positive(FACTOR);
    if (factor < 1) {
      throw metadata.error(FACTOR, "the factor %s is below 1".formatted(factor));
    }
    return factor;
  }

  /**
   * Returns the angles of heads.
   *
   * @param base base of the rotation without scaling
   */
  RopeAngles angles(int headSize, double base) {
    RopeAngles plain = RopeAngles.of(headSize, base);
    if (factor == 1) {
      return plain;
    }
    double[] turns = plain.turns();
    for (int pair = 0; pair < turns.length; pair++) {
      double scaled = share(pair, headSize, base);
      turns[pair] *= scaled / factor + 1 - scaled;
    }
    return new RopeAngles(turns, 1 + 0.1 * Math.log(factor));
  }

  /** Returns the degree of a pair's scaling: 0 for none, 1 for full scaling. */
  private double share(int pair, int headSize, double base) {
    double first = Math.max(Math.floor(pairTurning(fast, headSize, base)), 0);
    double last = Math.min(Math.ceil(pairTurning(slow, headSize, base)), headSize - 1);
    double width = last == first ? 0.001 : last - first;
    return Math.clamp((pair - first) / width, 0, 1);
  }

  /**
   * Returns the pair that turns {@code times} times over the trained positions; usually between two
   * pairs.
   */
  private double pairTurning(double times, int headSize, double base) {
    return headSize * Math.log(trained / (times * 2 * Math.PI)) / (2 * Math.log(base));
  }

  /** Returns the scaling in words, as {@code load-model} prints it. */
  @Override
  public String toString() {
    return factor == 1 ? "none" : "yarn by " + factor;
  }
}
