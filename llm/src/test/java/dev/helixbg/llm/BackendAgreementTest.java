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
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    clear(other, "blk.1.ffn_down.weight");
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

  private static void clear(Path file, String tensor) throws IOException {
    long start;
    ByteBuffer zeros;
    try (GgufFile gguf = GgufFile.read(MappedFile.open(file))) {
      MemorySegment data = gguf.tensors().get(tensor).data();
      start = data.address() - gguf.mapped().bytes().address();
      zeros = ByteBuffer.allocate((int) data.byteSize());
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(zeros, start);
    }
  }
}
