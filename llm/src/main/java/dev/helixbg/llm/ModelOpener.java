package dev.helixbg.llm;

import dev.helixbg.llm.LoadReport.Phase;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.metal.MetalBackend;
import dev.helixbg.llm.metal.shim.MetalException;
import dev.helixbg.llm.metal.shim.MetalLibraries;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.model.WarmUp;
import dev.helixbg.llm.model.WarmUp.Passes;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import dev.helixbg.llm.tokenizer.Tokenizer;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Opens model files: the one place where file, backend, model and tokenizer come together. */
public final class ModelOpener {
  private final ModelOptions options;
  private final List<Phase> phases = new ArrayList<>();

  private ModelOpener(ModelOptions options) {
    this.options = options;
  }

  /**
   * Opens a model.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the file is not a whole Qwen3 model; a wrong
   *     vocabulary shows only when {@link TextModel#tokenizer} is called
   * @throws MetalException if Metal was asked for, and is not there or refuses the model
   */
  public static TextModel open(Path path, ModelOptions options) {
    return new ModelOpener(options).open(path);
  }

  private TextModel open(Path path) {
    MappedFile mapped = time("open", () -> MappedFile.open(path));
    GgufFile file = time("header", () -> GgufFile.read(mapped));
    try {
      return open(file);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private TextModel open(GgufFile file) {
    return switch (options.device()) {
      case CPU -> open(file, new CpuBackend(options.threads()));
      case SCALAR -> open(file, new ScalarBackend());
      case METAL -> open(file, metal());
      case AUTO -> {
        try {
          yield open(file, metal());
        } catch (MetalException e) {
          phases.removeIf(phase -> !phase.name().equals("open") && !phase.name().equals("header"));
          yield open(file, new CpuBackend(options.threads()));
        }
      }
    };
  }

  private Backend metal() {
    return MetalBackend.open(MetalLibraries.configured(), options.profiled());
  }

  private TextModel open(GgufFile file, Backend backend) {
    Beside<Tokenizer> tokenizer = null;
    Beside<Boolean> warm = null;
    try {
      Qwen3 model = time("weights", () -> Qwen3.of(file, backend, options.limits()));
      tokenizer = Beside.start("tokenizer", () -> tokenizer(file, model));
      warm = Beside.start("warm", () -> readAhead(file));
      run("compile", () -> compile(backend, model.config(), types(file)));
      warm.await();
      phases.add(warm.phase().orElseThrow());
      LoadReport report = new LoadReport(List.copyOf(phases));
      return new TextModel(file, model, options.limits(), tokenizer, report);
    } catch (RuntimeException e) {
      // Both read the mapped file.
      if (tokenizer != null) {
        tokenizer.awaitEnd().ifPresent(Tokenizer::close);
      }
      if (warm != null) {
        warm.awaitEnd();
      }
      backend.close();
      throw e;
    }
  }

  private static boolean readAhead(GgufFile file) {
    file.mapped().readAhead();
    return true;
  }

  private Tokenizer tokenizer(GgufFile file, Qwen3 model) {
    Vocabulary vocabulary = Vocabulary.from(file.metadata(), model.vocabulary());
    return Tokenizer.of(vocabulary, options.cacheFolder());
  }

  /**
   * What the CPU runs is compiled for the whole process. Kernels are compiled while their caller
   * waits, so many backends of one thread each keep the compiler busy: for every type one with what
   * an answer needs, and one with what a prompt needs.
   */
  private static void compile(Backend backend, Qwen3Config config, Set<TensorType> types) {
    if (!(backend instanceof CpuBackend)) {
      WarmUp.run(backend, config, types, Passes.PROMPT);
      WarmUp.run(backend, config, types, Passes.ANSWER);
      return;
    }
    List<Beside<Boolean>> parts = new ArrayList<>();
    for (TensorType type : types) {
      for (Passes passes : Passes.values()) {
        parts.add(Beside.start("warm-up", () -> compile(config, type, passes)));
      }
    }
    parts.forEach(Beside::await);
  }

  private static boolean compile(Qwen3Config config, TensorType type, Passes passes) {
    try (Backend own = new CpuBackend(1)) {
      WarmUp.run(own, config, Set.of(type), passes);
    }
    return true;
  }

  private static Set<TensorType> types(GgufFile file) {
    return file.tensors().values().stream()
        .filter(tensor -> tensor.shape().size() > 1)
        .map(Tensor::type)
        .collect(Collectors.toSet());
  }

  private void run(String phase, Runnable work) {
    time(
        phase,
        () -> {
          work.run();
          return null;
        });
  }

  private <T> T time(String phase, Supplier<T> work) {
    long start = System.nanoTime();
    T result = work.get();
    phases.add(new Phase(phase, System.nanoTime() - start, false));
    return result;
  }
}
