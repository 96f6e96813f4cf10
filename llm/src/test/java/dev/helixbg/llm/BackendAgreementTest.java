package dev.helixbg.llm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3.TapListener.Tap;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two ways of running a model are compared layer by layer. */
class BackendAgreementTest {
  private static final int[] PROMPT = GoldenModel.F16.cases().getFirst().promptIds();

  @TempDir Path folder;

  private static TextModel open(Path path, Device device) {
    return ModelOpener.open(path, ModelOptions.of(device, 2, 1024));
  }

  @Test
  void twoBackendsPartInNoLayer() {
    Path path = GoldenModel.F16.path();
    try (TextModel tested = open(path, Device.CPU);
        TextModel reference = open(path, Device.SCALAR)) {
      BackendAgreement found = BackendAgreement.between(tested, reference, PROMPT);
      assertTrue(found.isGood(), found.toString());
      assertTrue(found.sameToken());
      assertTrue(found.firstParting().isEmpty(), found.toString());
    }
  }

  @Test
  void theFirstPlaceThatDiffersIsNamed() throws IOException {
    Path path = GoldenModel.F16.path();
    Path other = folder.resolve("other.gguf");
    Files.copy(path, other);
    enlarge(other, "blk.1.ffn_down.weight");
    try (TextModel tested = open(other, Device.CPU);
        TextModel reference = open(path, Device.CPU)) {
      BackendAgreement found = BackendAgreement.between(tested, reference, PROMPT);
      BackendAgreement.Parting parting = found.firstParting().orElseThrow();
      assertEquals(1, parting.layer());
      assertEquals(Tap.LAYER_OUTPUT, parting.tap());
      assertTrue(parting.difference() > 0.05, parting.toString());
      assertTrue(parting.row() < 8 && parting.column() >= 0, parting.toString());
    }
  }

  /** Adds 2 to the exponent of each number, which is four times as large then. */
  private static void enlarge(Path file, String tensor) throws IOException {
    long start;
    int numbers;
    try (GgufFile gguf = GgufFile.read(MappedFile.open(file))) {
      MemorySegment data = gguf.tensors().get(tensor).data();
      start = data.address() - gguf.mapped().bytes().address();
      numbers = (int) (data.byteSize() / Short.BYTES);
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer halves = ByteBuffer.allocate(numbers * Short.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      channel.read(halves, start);
      for (int i = 0; i < numbers; i++) {
        short half = halves.getShort(i * Short.BYTES);
        boolean normal = (half & 0x7C00) != 0;
        halves.putShort(i * Short.BYTES, (short) (normal ? half + (2 << 10) : half));
      }
      halves.rewind();
      channel.write(halves, start);
    }
  }
}
