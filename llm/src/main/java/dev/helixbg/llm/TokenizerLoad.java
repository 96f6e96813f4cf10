package dev.helixbg.llm;

import dev.helixbg.llm.LoadReport.Phase;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.tokenizer.Tokenizer;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Makes a model's tokenizer on a thread of its own: it takes as long as all the rest. */
final class TokenizerLoad implements AutoCloseable {
  private final FutureTask<Tokenizer> task;
  private volatile long nanos = -1;

  private TokenizerLoad(GgufFile file, int vocabulary, Path cacheFolder) {
    task =
        new FutureTask<>(
            () -> {
              long start = System.nanoTime();
              Vocabulary read = Vocabulary.from(file.metadata(), vocabulary);
              Tokenizer tokenizer = Tokenizer.of(read, cacheFolder);
              nanos = System.nanoTime() - start;
              return tokenizer;
            });
  }

  /** The file must stay open until this is closed. */
  static TokenizerLoad start(GgufFile file, int vocabulary, Path cacheFolder) {
    TokenizerLoad load = new TokenizerLoad(file, vocabulary, cacheFolder);
    Thread.ofPlatform().daemon().name("tokenizer").start(load.task);
    return load;
  }

  /** Waits for the tokenizer, or for the error that there is none. */
  Tokenizer await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Empty until the tokenizer is there. */
  Optional<Phase> phase() {
    return nanos < 0 ? Optional.empty() : Optional.of(new Phase("tokenizer", nanos, true));
  }

  /** Waits for the thread, which reads the mapped file, and frees the tokenizer. */
  @Override
  public void close() {
    Tokenizer tokenizer;
    try {
      tokenizer = await();
    } catch (RuntimeException e) {
      return; // There is none; whoever wanted it was told.
    }
    tokenizer.close();
  }
}
