package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Matrix;
import dev.helixbg.llm.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The few tokens that an answer can go on with: their rows of the output matrix, copied as they are
 * stored, and place for their logits. A vocabulary has a hundred thousand rows that nobody wants.
 *
 * @param rows a row per candidate, hidden columns
 * @param logits of the wanted rows of the last pass, a column per candidate
 */
public record Candidates(Matrix rows, Activations logits) {

  static Candidates of(Backend backend, Tensor output, int[] ids, Activations logits) {
    long bytes = output.rowBytes();
    // Lives as long as it is used; backends free nothing that they did not make.
    MemorySegment data = Arena.ofAuto().allocate(bytes * ids.length, 64);
    for (int i = 0; i < ids.length; i++) {
      MemorySegment.copy(output.data(), bytes * ids[i], data, bytes * i, bytes);
    }
    List<Long> shape = List.of(output.columns(), (long) ids.length);
    return new Candidates(
        backend.matrix(new Tensor("candidates", output.type(), shape, data)), logits);
  }
}
