package dev.helixbg.daemon.search;

import dev.helixbg.insight.review.Oracle;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Answers a question from the entries nearest to it. */
public final class Chat {
  /** That an answer is made from. */
  public static final int ENTRIES = 5;

  private static final int MAX_TOKENS = 256;
  private static final String SYSTEM =
      "You answer questions from entries of a software developer's knowledge base. Use only what"
          + " the entries say; if they do not answer the question, say so. Be brief.";

  private Chat() {}

  /**
   * @param listener is given the answer piece by piece
   */
  public static void answer(
      String question,
      List<SearchHit> hits,
      Optional<Oracle> oracle,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    StringBuilder entries = new StringBuilder();
    for (SearchHit hit : hits) {
      entries.append('[').append(hit.name()).append("] ").append(hit.text()).append("\n\n");
    }
    if (oracle.isEmpty()) {
      listener.accept(
          "There is no language model on this machine to answer; these entries are nearest to the"
              + " question:\n\n"
              + entries);
      return;
    }
    oracle
        .get()
        .write(
            SYSTEM,
            "Entries:\n" + entries + "Question: " + question,
            MAX_TOKENS,
            listener,
            cancelled);
  }
}
