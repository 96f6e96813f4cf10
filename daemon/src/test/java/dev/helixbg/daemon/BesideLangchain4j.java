package dev.helixbg.daemon;

import dev.helixbg.embed.bench.Langchain4jContender;
import java.util.List;

/**
 * The program with langchain4j to be measured beside: what scripts/helix-bg starts for bench in a
 * checkout.
 */
public final class BesideLangchain4j {
  private BesideLangchain4j() {}

  public static void main(String[] arguments) {
    HelixBg.start(
        threads -> List.of(new Langchain4jContender(1), new Langchain4jContender(threads)),
        arguments);
  }
}
