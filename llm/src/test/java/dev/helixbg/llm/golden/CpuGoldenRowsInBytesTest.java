package dev.helixbg.llm.golden;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.cpu.x86.ByteRowProduct;
import dev.helixbg.llm.tensor.TensorType;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tokens in bytes, too, wherever there is machine code for them, whatever is faster. */
class CpuGoldenRowsInBytesTest extends CpuGoldenContract {
  private final Map<TensorType, RowKernel> before = new EnumMap<>(TensorType.class);

  CpuGoldenRowsInBytesTest() {
    super(2);
  }

  @BeforeAll
  void takeThem() {
    for (TensorType type : TensorType.values()) {
      ByteRowProduct.of(type)
          .ifPresent(
              bytes -> {
                before.put(type, RowKernels.of(type));
                RowKernels.replace(type, bytes);
              });
    }
    assumeTrue(!before.isEmpty(), "no products of rows in bytes");
  }

  @AfterAll
  void giveBackTheOthers() {
    before.forEach(RowKernels::replace);
  }
}
