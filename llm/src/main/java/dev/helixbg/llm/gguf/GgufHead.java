package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.Tensor;
import java.util.SequencedMap;

/**
 * What a file says about itself.
 *
 * @param version 2 or 3
 * @param alignment of the tensors' data, in bytes
 * @param dataStart byte offset of the data
 * @param tensors by name, in the file's order
 */
public record GgufHead(
    int version,
    int alignment,
    long dataStart,
    GgufMetadata metadata,
    SequencedMap<String, Tensor> tensors) {}
