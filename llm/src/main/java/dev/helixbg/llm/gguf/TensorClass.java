package dev.helixbg.llm.gguf;

/** What tensors of a model are for, by the names that GGUF gives them. */
public enum TensorClass {
  EMBEDDING,
  ATTENTION,
  FEED_FORWARD,
  NORMS,
  OUTPUT,
  OTHER;

  public static TensorClass of(String tensor) {
    if (tensor.contains("norm")) {
      return NORMS;
    }
    if (tensor.startsWith("token_embd")) {
      return EMBEDDING;
    }
    if (tensor.startsWith("output.")) {
      return OUTPUT;
    }
    if (tensor.contains(".attn_")) {
      return ATTENTION;
    }
    return tensor.contains(".ffn_") ? FEED_FORWARD : OTHER;
  }
}
