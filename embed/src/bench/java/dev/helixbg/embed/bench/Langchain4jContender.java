package dev.helixbg.embed.bench;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.allminilml6v2.AllMiniLmL6V2EmbeddingModel;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The MiniLM of langchain4j, which runs in this process and cuts texts at 128 tokens. Its fastest
 * method is {@code embedAll}, which passes the texts one by one to an executor. Here, the executor
 * has as many threads as helix-bg uses.
 */
public final class Langchain4jContender implements Contender, AutoCloseable {

  private final ExecutorService executor;
  private final AllMiniLmL6V2EmbeddingModel model;
  private final String name;

  public Langchain4jContender(int threads) {
    executor = Executors.newFixedThreadPool(threads);
    model = new AllMiniLmL6V2EmbeddingModel(executor);
    name = "langchain4j, " + threads + (threads == 1 ? " caller" : " callers");
  }

  public String name() {
    return name;
  }

  @Override
  public float[][] embed(List<String> texts) {
    return model.embedAll(texts.stream().map(TextSegment::from).toList()).content().stream()
        .map(Embedding::vector)
        .toArray(float[][]::new);
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
