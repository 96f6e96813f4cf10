package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Tokens;

/**
 * Where a device leaves the likeliest tokens of one row: far less to read, and to sort, than a
 * value per token of the vocabulary.
 *
 * @param ids one slot, k rows
 * @param logits one row, k columns
 */
record Top(Tokens ids, Activations logits) {

  static Top of(Backend backend, int k) {
    return new Top(backend.tokens(1, k), backend.activations(1, k));
  }

  int k() {
    return logits.columns();
  }

  int[] readIds() {
    int[] read = new int[k()];
    for (int i = 0; i < read.length; i++) {
      read[i] = ids.get(0, i);
    }
    return read;
  }

  float[] readLogits() {
    float[] read = new float[k()];
    logits.read(0, read);
    return read;
  }
}
