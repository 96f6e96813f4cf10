package dev.helixbg.llm;

import dev.helixbg.llm.ModelOpener.LoadReport.ClassLoad;
import dev.helixbg.llm.ModelOpener.LoadReport.Phase;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gguf.TensorClass;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.model.ModelWarmUp;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import dev.helixbg.llm.tokenizer.BpeTokenizer;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Opens model files: the one place where file, backend, model and tokenizer come together. */
public final class ModelOpener {
  private final ModelOptions options;
  private final List<Phase> phases = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();

  private ModelOpener(ModelOptions options) {
    this.options = options;
  }

  /**
   * Begins what opening any model takes on a processor, beside whatever the caller does before it
   * opens one. Macs are taken to have a GPU that will do instead.
   */
  public static void prepare() {
    if (!System.getProperty("os.name").startsWith("Mac") && CpuBackend.slowness().isEmpty()) {
      KernelCompilation.prepare();
    }
  }

  /**
   * Opens a model.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the file is not a whole Qwen3 model; a wrong
   *     vocabulary shows only when {@link TextModel#tokenizer} is called
   * @throws GpuException if a GPU was asked for, and is not there or refuses the model
   */
  public static TextModel open(Path path, ModelOptions options) {
    return new ModelOpener(options).open(path);
  }

  private TextModel open(Path path) {
    BackgroundTask.run("memory", HostMemory::prepare); // kernels do not need the processors yet
    MappedFile mapped = time("open", () -> MappedFile.open(path));
    GgufFile file = time("header", () -> GgufFile.read(mapped));
    try {
      return open(file);
    } catch (Throwable e) {
      try (file) {
        mapped.requireUnchanged(); // else that is the reason
      }
      throw e;
    }
  }

  private TextModel open(GgufFile file) {
    return switch (options.device()) {
      case CPU -> openOnCpu(file);
      case SCALAR -> openScalar(file);
      case METAL -> openOnGpu(file, GpuApi.METAL);
      case CUDA -> openOnGpu(file, GpuApi.CUDA);
      case AUTO -> openOnAny(file);
    };
  }

  private TextModel openOnCpu(GgufFile file) {
    Optional<String> slowness = CpuBackend.slowness();
    if (slowness.isPresent()) {
      options.news().accept(slowness.get());
      return openScalar(file);
    }
    long start = System.nanoTime();
    Qwen3Config config = Qwen3Config.from(file.metadata());
    KernelCompilation kernels = new KernelCompilation(config, types(file));
    Backend backend = new CpuBackend(options.threads(), kernels::awaitTiles);
    phases.add(new Phase("backend", System.nanoTime() - start, false));
    return open(file, backend, model -> kernels.awaitRows(), kernels::tilePhases);
  }

  private TextModel openScalar(GgufFile file) {
    return open(file, new ScalarBackend(), model -> {}, List::of);
  }

  /** On the first GPU that takes the model, else on the CPU. */
  private TextModel openOnAny(GgufFile file) {
    for (GpuApi gpu : GpuApi.values()) {
      try {
        return openOnGpu(file, gpu);
      } catch (GpuException e) {
        if (!e.isAbsence()) {
          refused.add(e.getMessage());
        }
        phases.removeIf(phase -> !phase.name().equals("open") && !phase.name().equals("header"));
      }
    }
    return openOnCpu(file);
  }

  private TextModel openOnGpu(GgufFile file, GpuApi gpu) {
    GpuBackend backend =
        time("backend", () -> new GpuBackend(gpu.open(), true, options.profiled(), options.ring()));
    try {
      backend.requireRoom(memoryNeed(file, options.limits()));
    } catch (Throwable e) {
      backend.close();
      throw e;
    }
    return open(file, backend, model -> compile(backend, model), List::of);
  }

  /**
   * Bytes that a model takes on a GPU: its weights, the keys and values of a session as long as it
   * may be, and what a pass computes.
   */
  private static long memoryNeed(GgufFile file, PassLimits limits) {
    Qwen3Config config = Qwen3Config.from(file.metadata());
    long weights = file.tensors().values().stream().mapToLong(t -> t.rows() * t.rowBytes()).sum();
    KvShape shape = config.cacheShape(limits);
    // As Qwen3 has them; what is normalised, and the gates, beside.
    long perRow =
        2L * config.hidden()
            + 2L * config.queryWidth()
            + 2L * config.kvWidth()
            + 2L * config.feedForward();
    Tensor table = file.tensors().get("token_embd.weight");
    long perWanted = config.hidden() + config.queryWidth() + (table == null ? 0 : table.rows());
    return weights
        + shape.limit() * shape.bytesPerPosition()
        + Float.BYTES * (limits.rows() * perRow + limits.wanted() * perWanted);
  }

  private void compile(GpuBackend backend, Qwen3 model) {
    backend.compile(() -> ModelWarmUp.rehearse(model, options.limits()), options.news());
  }

  /**
   * Opens the file on a backend.
   *
   * @param compile waits until the backend has compiled what single tokens need, at least
   * @param later tells of what is compiled after the model is open
   */
  private TextModel open(
      GgufFile file, Backend backend, Consumer<Qwen3> compile, Supplier<List<Phase>> later) {
    BackgroundTask<BpeTokenizer> tokenizer = null;
    BackgroundTask<List<ClassLoad>> warm = null;
    try {
      Qwen3 model = time("weights", () -> Qwen3.of(file, backend, options.limits()));
      warm = new BackgroundTask<>("warm", () -> readAhead(file));
      run("compile", () -> compile.accept(model));
      // Not before: it would take a processor from what even the first token needs.
      tokenizer = new BackgroundTask<>("tokenizer", () -> tokenizer(file, model));
      List<ClassLoad> classes = warm.await();
      phases.add(warm.phase().orElseThrow());
      LoadReport report = new LoadReport(List.copyOf(phases), List.copyOf(refused), classes);
      return new TextModel(file, model, options.limits(), tokenizer, report, later);
    } catch (Throwable e) {
      // Both read the mapped file.
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

  /** Touches the pages of the weights in their order. */
  private static List<ClassLoad> readAhead(GgufFile file) {
    Map<TensorClass, ClassLoad> classes = new EnumMap<>(TensorClass.class);
    boolean fits = file.mapped().fitsMemory();
    for (Tensor tensor : file.tensors().values()) {
      long start = System.nanoTime();
      if (fits) {
        tensor.data().load();
      }
      TensorClass kind = TensorClass.of(tensor.name());
      long nanos = System.nanoTime() - start;
      classes.merge(kind, new ClassLoad(kind, tensor.data().byteSize(), nanos), ClassLoad::plus);
    }
    return List.copyOf(classes.values());
  }

  private BpeTokenizer tokenizer(GgufFile file, Qwen3 model) {
    Vocabulary vocabulary = Vocabulary.from(file.metadata(), model.vocabulary());
    vocabulary.warning().ifPresent(line -> options.news().accept(file.path() + ": " + line));
    return new BpeTokenizer(vocabulary);
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

  /**
   * What opening a model took, phase by phase.
   *
   * @param refused why GPUs that are there were not taken, a sentence each; empty if none is there
   * @param classes what reading the weights took
   */
  public record LoadReport(List<Phase> phases, List<String> refused, List<ClassLoad> classes) {

    /**
     * All tensors of one class.
     *
     * @param bytes in the file
     * @param nanos that touching their pages took; next to none where they were in memory
     */
    public record ClassLoad(TensorClass kind, long bytes, long nanos) {
      ClassLoad plus(ClassLoad other) {
        return new ClassLoad(kind, bytes + other.bytes, nanos + other.nanos);
      }
    }

    /**
     * One phase.
     *
     * @param name open, header, backend, weights, compile, warm, tiles or tokenizer
     * @param nanos it took
     * @param beside whether another thread did it, so that it adds nothing to the total
     */
    public record Phase(String name, long nanos, boolean beside) {}

    /** From the call to the model being ready. */
    public long totalNanos() {
      return phases.stream().filter(phase -> !phase.beside()).mapToLong(Phase::nanos).sum();
    }

    LoadReport with(Stream<Phase> more) {
      return new LoadReport(Stream.concat(phases.stream(), more).toList(), refused, classes);
    }
  }
}
