package dev.helixbg.llm;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import dev.helixbg.llm.tokenizer.BpeTokenizer;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Opens a model file as a {@link TextModel}, with its backend and its tokenizer. */
public final class ModelOpener {
  private final ModelOptions options;
  private final List<String> warnings = new ArrayList<>();

  private ModelOpener(ModelOptions options) {
    this.options = options;
  }

  /**
   * Starts compiling the CPU kernels that every model needs, in parallel with the caller's work.
   * Does nothing on a Mac, which is expected to use its GPU, or if the CPU kernels cannot be used.
   */
  public static void prepare() {
    if (!System.getProperty("os.name").startsWith("Mac") && CpuBackend.slowness().isEmpty()) {
      KernelCompilation.prepare();
    }
  }

  /**
   * Opens a model file.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the file is not a complete Qwen3 model. An
   *     unusable vocabulary is not reported here, but by {@link TextModel#tokenizer}
   * @throws GpuException if the options ask for a GPU that is missing or refuses the model
   */
  public static TextModel open(Path path, ModelOptions options) {
    return new ModelOpener(options).open(path);
  }

  private TextModel open(Path path) {
    BackgroundTask.run("memory", HostMemory::prepare); // while no kernel needs the processors
    MappedFile mapped = MappedFile.open(path);
    GgufFile file = GgufFile.read(mapped);
    try {
      return open(file);
    } catch (Throwable e) {
      try (file) {
        mapped.requireUnchanged(); // if the file was changed, that is the error to report
      }
      throw e;
    }
  }

  private TextModel open(GgufFile file) {
    return switch (options.device()) {
      case CPU -> openOnCpu(file);
      case SCALAR -> open(file, new ScalarBackend(), model -> {});
      case METAL -> openOnGpu(file, GpuApi.METAL);
      case CUDA -> openOnGpu(file, GpuApi.CUDA);
      case AUTO -> openOnAny(file);
    };
  }

  private TextModel openOnCpu(GgufFile file) {
    Optional<String> slowness = CpuBackend.slowness();
    if (slowness.isPresent()) {
      warnings.add(slowness.get());
      return open(file, new ScalarBackend(), model -> {});
    }
    KernelCompilation kernels = new KernelCompilation(types(file));
    Backend backend = new CpuBackend(options.threads(), kernels.tiles::await);
    return open(file, backend, model -> kernels.rows.await());
  }

  private TextModel openOnAny(GgufFile file) {
    for (GpuApi gpu : GpuApi.values()) {
      try {
        return openOnGpu(file, gpu);
      } catch (GpuException e) {
        if (!e.isAbsence()) {
          warnings.add(e.getMessage() + "; the CPU runs the model");
        }
      }
    }
    return openOnCpu(file);
  }

  private TextModel openOnGpu(GgufFile file, GpuApi gpu) {
    GpuBackend backend = new GpuBackend(gpu.open(), true);
    try {
      backend.requireRoom(memoryNeed(file, options.limits()));
    } catch (Throwable e) {
      backend.close();
      throw e;
    }
    return open(file, backend, model -> backend.compile(() -> model.rehearse(options.limits())));
  }

  /** Sums the bytes of the weights, of the longest session's cache and of a pass's activations. */
  private static long memoryNeed(GgufFile file, PassLimits limits) {
    Qwen3Config config = Qwen3Config.from(file.metadata());
    long weights = file.tensors().values().stream().mapToLong(t -> t.rows() * t.rowBytes()).sum();
    KvShape shape = config.cacheShape(limits);
    // Values per row: Qwen3's buffers, and a backend's buffers for normalised values and gates.
    long perRow =
        2L * (config.hidden() + config.queryWidth() + config.kvWidth() + config.feedForward());
    Tensor table = file.tensors().get("token_embd.weight");
    long perWanted = config.hidden() + config.queryWidth() + (table == null ? 0 : table.rows());
    return weights
        + shape.limit() * shape.bytesPerPosition()
        + Float.BYTES * (limits.rows() * perRow + limits.wanted() * perWanted);
  }

  /**
   * Loads a model for a backend, and the model's tokenizer.
   *
   * @param compile compiles the backend's kernels; returns when at least the kernels for single
   *     tokens are compiled
   */
  private TextModel open(GgufFile file, Backend backend, Consumer<Qwen3> compile) {
    BackgroundTask<BpeTokenizer> tokenizer = null;
    BackgroundTask<Void> warm = null;
    try {
      Qwen3 model = Qwen3.of(file, backend, options.limits());
      warm = BackgroundTask.run("warm", () -> readAhead(file));
      compile.accept(model);
      // This task does not start earlier, because compiling the kernels for the first token needs
      // all processors.
      tokenizer =
          new BackgroundTask<>(
              "tokenizer",
              () -> new BpeTokenizer(Vocabulary.from(file.metadata(), model.vocabulary())));
      warm.await();
      return new TextModel(file, model, options.limits(), tokenizer, List.copyOf(warnings));
    } catch (Throwable e) {
      // Both tasks read the mapped file, so they must end before the caller closes it.
      if (tokenizer != null) {
        tokenizer.awaitEnd();
      }
      if (warm != null) {
        warm.awaitEnd();
      }
      backend.close();
      throw e;
    }
  }

  private static void readAhead(GgufFile file) {
    if (file.mapped().fitsMemory()) {
      file.tensors().values().forEach(tensor -> tensor.data().load());
    }
  }

  private static Set<TensorType> types(GgufFile file) {
    return file.tensors().values().stream()
        .filter(tensor -> tensor.shape().size() > 1)
        .map(Tensor::type)
        .collect(Collectors.toSet());
  }
}
