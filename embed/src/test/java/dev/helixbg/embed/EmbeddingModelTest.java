package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.onnxruntime.OrtEnvironment;
import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.embed.cache.Cosine;
import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import dev.helixbg.embed.store.CacheNote;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingModelTest {

  private static final String POISON = "0".repeat(64);

  @TempDir Path models;
  @TempDir Path cache;

  @Test
  void pinnedHashesAreThoseOfTheBundledFiles() throws IOException {
    ModelSource bundled = ModelSource.bundled(cache);
    try (var graph = ModelSource.class.getResourceAsStream(ModelSource.GRAPH_RESOURCE);
        var tokenizer = ModelSource.class.getResourceAsStream(ModelSource.TOKENIZER_RESOURCE)) {
      assertEquals(Sha256.of(graph), bundled.graphHash());
      assertEquals(Sha256.of(tokenizer), bundled.tokenizerHash());
    }
  }

  @Test
  void idsNamePrecisionAndProviderAndThatOfTheCpuStaysWhatItWas() {
    EmbeddingModel cpu = EmbeddingModel.locate(settings(ExecutionProvider.CPU), cache, 1);
    EmbeddingModel auto = TestModels.bundled(Precision.AUTO, 256);
    EmbeddingModel fp32 = TestModels.bundled(Precision.FP32, 256);
    EmbeddingModel int8 = TestModels.bundled(Precision.INT8, 256);
    EmbeddingModel coreMl = EmbeddingModel.locate(settings(ExecutionProvider.COREML), cache, 1);
    assertEquals("8a3a0a93367aad65c6c025978882037e", cpu.id(), "of all caches there are");
    assertEquals(cpu.id(), auto.id());
    assertEquals(cpu.id(), fp32.id());
    String shorter = TestModels.bundled(Precision.FP32, 128).id();
    assertEquals(4, Set.of(cpu.id(), int8.id(), coreMl.id(), shorter).size());
    assertEquals(int8.id(), cpu.another(true).orElseThrow().id());
    Optional<String> many = cpu.another(false).map(EmbeddingModel::id);
    assertEquals(Encoder.isAvailable(Square.SHORTS), many.isPresent());
    assertEquals(many.orElse(cpu.id()), cpu.forQueries(many.orElse("none")).id());
    assertEquals(Encoder.isAvailable(Square.FINE_BYTES), many.equals(Optional.of(int8.id())));
    for (String vectors : List.of(cpu.id(), "another", coreMl.id())) {
      assertEquals(cpu.id(), cpu.forQueries(vectors).id());
    }
    many.ifPresent(id -> assertFalse(Set.of(cpu.id(), coreMl.id()).contains(id)));
    for (boolean passages : new boolean[] {true, false}) {
      assertTrue(fp32.another(passages).isEmpty());
      assertTrue(int8.another(passages).isEmpty());
      assertTrue(coreMl.another(passages).isEmpty());
    }
    String os = System.getProperty("os.name");
    try {
      System.setProperty("os.name", "Mac OS X");
      assertEquals(coreMl.id(), auto.another(true).orElseThrow().id());
      assertEquals(coreMl.id(), auto.another(false).orElseThrow().id());
      assertEquals(auto.id(), auto.forQueries(coreMl.id()).id(), "CoreML takes long to open");
    } finally {
      System.setProperty("os.name", os);
    }
  }

  /**
   * A trial gives a speed as a number on any processor, and the second call returns the stored
   * verdict.
   */
  @Test
  void aTrialSaysHowMuchFasterPassagesAre() throws Exception {
    EmbeddingModel plain = TestModels.bundled(Precision.AUTO, 32);
    SpeedTrial.Verdict verdict = plain.another(true).orElseThrow().against(plain);
    assertTrue(verdict.gain() > 0.2, verdict.toString());
    assertEquals(verdict, plain.another(true).orElseThrow().against(plain));
  }

  /**
   * On a processor with AVX2 but without VNNI, 16-bit arithmetic may be no faster than fp32,
   * although 8-bit arithmetic is faster.
   */
  @Test
  void eightBitsAreTriedWhereSixteenBitsAreNotWorthIt() throws Exception {
    assumeTrue(Encoder.isAvailable(Square.BYTES), "no processor that multiplies in whole numbers");
    String printed =
        ForkedJvm.runPlain("-Dhelixbg.machine.code=avx2", Avx2.class, TestModels.CACHE.toString());
    assumeFalse(printed.isEmpty(), "no such instructions");
    assertTrue(Double.parseDouble(printed) > 0.9999, "cosine of sixteen bits: " + printed);
  }

  /**
   * The child process of the test above, which runs as on a processor without VNNI. It checks the
   * trials, and prints the lowest cosine between vectors of 16-bit arithmetic and of fp32.
   */
  static final class Avx2 {
    public static void main(String[] arguments) throws Exception {
      if (!Encoder.isAvailable(Square.SHORTS)) {
        return;
      }
      EmbeddingModel plain =
          EmbeddingModel.locate(
              TestModels.settings(Path.of("no-such-folder"), Precision.AUTO, 32),
              Path.of(arguments[0]),
              2);
      EmbeddingModel passages = plain.another(true).orElseThrow();
      SpeedTrial.Verdict entries = plain.another(false).orElseThrow().against(plain);
      Path trial = trialOf(entries);
      String stored = Files.readString(trial);
      try {
        Files.writeString(trial, stored.replaceFirst(".*", "1.2"));
        assertEquals(new SpeedTrial.Verdict(1.2, entries.why()), passages.against(plain));
        Files.writeString(trial, stored.replaceFirst(".*", "1.1"));
        SpeedTrial.Verdict own = passages.against(plain);
        assertTrue(own.why().startsWith(CpuNetwork.ENCODER.describe() + ": "), own.why());
        assertEquals(Optional.of(own), passages.triedAgainst(plain));
      } finally {
        Files.writeString(trial, stored);
      }
      System.out.print(worstCosine(plain));
    }
  }

  private static Path trialOf(SpeedTrial.Verdict verdict) throws IOException {
    try (Stream<Path> trials = Files.list(TestModels.CACHE.resolve("trials"))) {
      for (Path trial : trials.toList()) {
        if (Files.readString(trial).startsWith(verdict.gain() + "\n" + verdict.why() + "\n")) {
          return trial;
        }
      }
    }
    throw new AssertionError("the trial is not stored: " + verdict);
  }

  @Test
  void vectorsByMachineCodeAreNearThoseOfFp32() throws Exception {
    assumeTrue(Encoder.isAvailable(Square.SHORTS), "no processor that multiplies in whole numbers");
    double worst = worstCosine(TestModels.bundled(Precision.AUTO, 256));
    assertTrue(worst > (Encoder.isAvailable(Square.FINE_BYTES) ? 0.995 : 0.9999), "" + worst);
  }

  private static double worstCosine(EmbeddingModel plain) throws InterruptedException {
    List<String> texts = new ArrayList<>(ProbeTexts.window());
    texts.addAll(ProbeTexts.TEXTS);
    try (MiniLm expected = plain.open();
        MiniLm other = plain.another(false).orElseThrow().open()) {
      // A model whose results differ is not used: fp32 would be compared with itself.
      String graph = other.provenance().graph();
      assertTrue(graph.contains("vectors with a cosine of at least"), graph);
      return ProbeTexts.worstCosine(expected.embedAll(texts), other.embedAll(texts));
    }
  }

  /**
   * A prepared model runs without ONNX Runtime. Only its preparation, which compares both engines,
   * needs ONNX Runtime.
   */
  @Test
  void aQueryByMachineCodeNeedsNoOnnxRuntime() throws Exception {
    assumeTrue(Encoder.isAvailable(Square.BYTES), "no processor that multiplies in whole numbers");
    TestModels.bundled(Precision.AUTO, 256).another(false).orElseThrow().open().close();
    assertEquals(OrtEnvironment.getEnvironment().getVersion(), NativeLibraries.VERSION);
    String log =
        ForkedJvm.runPlain("-Xlog:class+load:stdout", Asking.class, TestModels.CACHE.toString());
    assertTrue(log.contains("384 values"));
    assertTrue(log.contains("ONNX Runtime is at null"));
    assertFalse(log.contains(" ai.onnxruntime.OnnxRuntime "));
  }

  /**
   * If a thread opens a model while another thread prepares it, the first thread waits, and does
   * not prepare the model again.
   */
  @Test
  void aModelIsPreparedOnceEvenIfItIsOpenedMeanwhile() throws Exception {
    EmbeddingModel model = EmbeddingModel.locate(settings(ExecutionProvider.CPU), cache, 1);
    EmbeddingModel first = model.another(false).filter(EmbeddingModel::isMachineCode).orElse(model);
    model.prepareAhead();
    first.open().close();
    List<FileTime> times = timesOfModels();
    model.prepareAhead(); // does nothing, because the model is prepared
    first.open().close();
    assertEquals(times, timesOfModels());
  }

  private List<FileTime> timesOfModels() throws IOException {
    List<FileTime> times = new ArrayList<>();
    try (Stream<Path> files = Files.walk(cache.resolve("models"))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        times.add(Files.getLastModifiedTime(file));
      }
    }
    return times;
  }

  /**
   * A machine-code model that was never prepared cannot have computed the KB's vectors, so queries
   * use the usual model.
   */
  @Test
  void queriesGoOneWayUntilTheOtherIsReady() throws Exception {
    EmbedSettings settings = settings(ExecutionProvider.CPU);
    EmbeddingModel usual = EmbeddingModel.locate(settings, cache, 1);
    assertSame(usual, usual.likelyForQueries());
    if (Encoder.isAvailable(Square.BYTES)) {
      EmbeddingModel other = usual.another(false).orElseThrow();
      other.open().close();
      assertEquals(other.id(), usual.likelyForQueries().id());
    }
    EmbedSettings fp32 =
        new EmbedSettings(settings.models(), ExecutionProvider.CPU, Precision.FP32, 256);
    EmbeddingModel only = EmbeddingModel.locate(fp32, cache, 1);
    assertSame(only, only.likelyForQueries());
  }

  /** The child process of {@link #aQueryByMachineCodeNeedsNoOnnxRuntime}. */
  static final class Asking {
    public static void main(String[] arguments) throws InterruptedException {
      EmbedSettings settings = TestModels.settings(Path.of("no-such-folder"), Precision.AUTO, 256);
      EmbeddingModel usual = EmbeddingModel.locate(settings, Path.of(arguments[0]), 1);
      try (MiniLm model = usual.forQueries(usual.another(false).orElseThrow().id()).open()) {
        float[] vector = model.embedAll(List.of("how long a lease lasts"))[0];
        System.out.printf("%d values%n", vector.length);
        System.out.println("ONNX Runtime is at " + System.getProperty("onnxruntime.native.path"));
      }
    }
  }

  @Test
  void locatingWritesNothingAndLoadsNoModelCode() throws Exception {
    String log = ForkedJvm.runPlain("-Xlog:class+load:stdout", Locating.class, cache.toString());
    assertTrue(log.contains("dev.helixbg.embed.EmbeddingModel "));
    for (String forbidden :
        List.of(" ai.onnxruntime.", " ai.djl.", "dev.helixbg.embed.NativeLibraries")) {
      assertFalse(log.contains(forbidden), forbidden);
    }
    try (Stream<Path> files = Files.list(cache)) {
      assertEquals(0, files.count());
    }
  }

  /** The child process of the test above. */
  static final class Locating {
    public static void main(String[] arguments) {
      EmbedSettings settings =
          new EmbedSettings(Path.of("none"), ExecutionProvider.AUTO, Precision.FP32, 256);
      EmbeddingModel.locate(settings, Path.of(arguments[0]), 1).id();
    }
  }

  @Test
  void modelOfTheUserWithVocabularyGivesTheVectorsOfTheBundledOne() throws Exception {
    Files.createSymbolicLink(models.resolve("model.onnx"), TestModels.files().graph());
    writeVocabulary();
    EmbeddingModel mine = locate();
    assertTrue(mine.describe().contains(models.resolve("model.onnx").toString()));
    assertNotEquals(TestModels.bundled(Precision.FP32, 256).id(), mine.id());
    List<String> texts = ProbeTexts.TEXTS;
    try (MiniLm ours = TestModels.bundled(Precision.FP32, 256).open();
        MiniLm theirs = mine.open()) {
      assertArrayEquals(ours.embedAll(texts), theirs.embedAll(texts));
    }
  }

  @Test
  void hashIsRememberedUntilTheFileChanges() throws Exception {
    Path file = settledModel();
    String first = CacheNote.hash(file, cache);
    assertEquals(Sha256.of("one"), first);
    Path note = poisonedNote(first);
    assertEquals(POISON, CacheNote.hash(file, cache), "the note is what is read");
    FileTime old = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(
        file, FileTime.from(old.to(TimeUnit.NANOSECONDS) + 1000, TimeUnit.NANOSECONDS));
    assertEquals(first, CacheNote.hash(file, cache));
    Files.writeString(note, "damaged");
    assertEquals(first, CacheNote.hash(file, cache));
  }

  /** Returns a file whose last change is long enough ago that its hash is stored. */
  private Path settledModel() throws Exception {
    Path file = Files.writeString(models.resolve("model.onnx"), "one");
    while (!FileState.of(file).isSettled()) {
      Thread.sleep(100);
    }
    return file;
  }

  /** Replaces the hash in the only note by a wrong hash, and returns the note. */
  private Path poisonedNote(String hash) throws IOException {
    try (Stream<Path> notes = Files.list(cache.resolve("hashes"))) {
      Path note = notes.findFirst().orElseThrow();
      return Files.writeString(note, Files.readString(note).replace(hash, POISON));
    }
  }

  @Test
  void freshlyWrittenFileIsNotRememberedYet() throws IOException {
    Path file = Files.writeString(models.resolve("model.onnx"), "one");
    CacheNote.hash(file, cache);
    try (Stream<Path> notes = Files.list(cache.resolve("hashes"))) {
      assertEquals(List.of(), notes.toList());
    }
  }

  /** Another user could have written the hash of another model into the folder. */
  @Test
  void aHashInAFolderThatOthersCanWriteToIsNotBelieved() throws Exception {
    Path file = settledModel();
    String hash = CacheNote.hash(file, cache);
    poisonedNote(hash);
    assertEquals(POISON, CacheNote.hash(file, cache));
    for (Path folder : List.of(cache.resolve("hashes"), cache)) {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(folder);
      OnDisk.setMode(folder, "rwxrwxrwx");
      assertEquals(hash, CacheNote.hash(file, cache));
      Files.setPosixFilePermissions(folder, mode);
    }
  }

  @Test
  void modelWithoutTokenizerIsRefused() throws IOException {
    Files.writeString(models.resolve("model.onnx"), "x");
    assertRefused("neither tokenizer.json nor vocab.txt", this::locate);
  }

  @Test
  void folderInPlaceOfTheModelIsRefused() throws IOException {
    Files.createDirectory(models.resolve("model.onnx"));
    writeVocabulary();
    assertRefused("cannot read the model", this::locate);
    models = models.resolve("vocab.txt");
    assertRefused("embed.models must be a folder", this::locate);
  }

  @Test
  void aFileThatIsNoModelOfThisKindIsRefused() throws IOException {
    writeVocabulary();
    byte[] whole = Files.readAllBytes(TestModels.files().graph());
    assertModelRefused("cannot be loaded", Arrays.copyOf(whole, whole.length / 2));
    assertModelRefused("damaged or no ONNX file", "<html>404 not found</html>".getBytes());
    assertModelRefused("mystery_inputs", replaced("token_type_ids", "mystery_inputs"));
  }

  private void assertModelRefused(String reason, byte[] model) throws IOException {
    Files.write(models.resolve("model.onnx"), model);
    assertRefused(reason, () -> locate().open());
  }

  @Test
  void brokenTokenizerIsRefused() throws IOException {
    Files.createSymbolicLink(models.resolve("model.onnx"), TestModels.files().graph());
    Files.writeString(models.resolve("tokenizer.json"), "{ \"model\": ");
    assertRefused("not valid JSON", () -> locate().open());
  }

  @Test
  void modelReplacedBetweenLocatingAndOpeningIsRefused() throws IOException {
    Path model = models.resolve("model.onnx");
    Files.writeString(model, "one");
    writeVocabulary();
    EmbeddingModel located = locate();
    Files.writeString(model, "two");
    assertRefused("was replaced", () -> located.open());
  }

  /** A model that cannot be rewritten runs as exported, and its description says so. */
  @Test
  void modelThatCannotBeRewrittenRunsAsExported() throws Exception {
    Files.write(
        models.resolve("model.onnx"),
        replaced("embeddings.LayerNorm.bias", "embeddings.layernorm.bias"));
    writeVocabulary();
    for (int opened = 0; opened < 2; opened++) {
      try (MiniLm original = locate().open();
          MiniLm fused = TestModels.bundled(Precision.FP32, 256).open()) {
        String graph = original.provenance().graph();
        assertTrue(graph.startsWith("as exported, the graph cannot be rewritten"), graph);
        float[][] some = original.embedAll(ProbeTexts.TEXTS);
        float[][] others = fused.embedAll(ProbeTexts.TEXTS);
        for (int i = 0; i < some.length; i++) {
          assertTrue(Cosine.of(some[i], others[i]) > 0.9999);
        }
      }
    }
  }

  @Test
  void damagedPreparedFilesAreMadeAgain() throws Exception {
    EmbeddingModel model = EmbeddingModel.locate(settings(ExecutionProvider.CPU), cache, 1);
    float[][] expected;
    try (MiniLm opened = model.open()) {
      expected = opened.embedAll(ProbeTexts.TEXTS);
    }
    for (Set<String> names :
        List.of(
            Set.of("graph.onnx"),
            Set.of("graph.onnx.weights"),
            Set.of("tokenizer.json", "prepared", "model.onnx"))) {
      try (Stream<Path> files = Files.walk(cache.resolve("models"))) {
        for (Path file :
            files.filter(path -> names.contains(path.getFileName().toString())).toList()) {
          try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / 2);
          }
        }
      }
      try (MiniLm opened = model.open()) {
        assertArrayEquals(expected, opened.embedAll(ProbeTexts.TEXTS));
      }
    }
  }

  @Test
  void coreMlWhereThereIsNoneIsRefused() {
    if (System.getProperty("os.name").startsWith("Mac")) {
      return;
    }
    assertRefused(
        "no CoreML on " + System.getProperty("os.name"),
        () ->
            EmbeddingModel.locate(settings(ExecutionProvider.COREML), TestModels.CACHE, 1).open());
  }

  private EmbedSettings settings(ExecutionProvider provider) {
    return new EmbedSettings(Path.of("none"), provider, Precision.AUTO, 256);
  }

  private EmbeddingModel locate() {
    return EmbeddingModel.locate(TestModels.settings(models, Precision.FP32, 256), cache, 1);
  }

  private void writeVocabulary() throws IOException {
    TestModels.writeVocabulary(models.resolve("vocab.txt"));
  }

  /**
   * Returns the bundled model, in which the name {@code to} replaces the name {@code from} of the
   * same length.
   */
  private static byte[] replaced(String from, String to) throws IOException {
    String model = Files.readString(TestModels.files().graph(), StandardCharsets.ISO_8859_1);
    return model.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void assertRefused(String reason, org.junit.jupiter.api.function.Executable run) {
    EmbeddingException e = assertThrows(EmbeddingException.class, run);
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
