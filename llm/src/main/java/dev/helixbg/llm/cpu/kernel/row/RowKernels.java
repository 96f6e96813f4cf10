package dev.helixbg.llm.cpu.kernel.row;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.narrow.Q40IntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q4KIntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q5KIntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q6KIntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q8NarrowProduct;
import dev.helixbg.llm.cpu.kernel.wide.FifthBitProduct;
import dev.helixbg.llm.cpu.kernel.wide.Iq4XsProduct;
import dev.helixbg.llm.cpu.kernel.wide.NibbleProduct;
import dev.helixbg.llm.cpu.kernel.wide.Q4KProduct;
import dev.helixbg.llm.cpu.kernel.wide.Q5KProduct;
import dev.helixbg.llm.cpu.kernel.wide.Q6KProduct;
import dev.helixbg.llm.cpu.kernel.wide.Q8Product;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.TensorType;

/** The table of kernels for rows: one for each type, at this machine's width of vectors. */
public final class RowKernels {
  private static final RowKernel[] KERNELS = new RowKernel[TensorType.values().length];
  private static final RowKernel[] UNPACKED = new RowKernel[KERNELS.length];

  static {
    for (TensorType type : TensorType.values()) {
      UNPACKED[type.ordinal()] = new UnpackedProduct(type);
    }
  }

  private RowKernels() {}

  /** The kernel for rows of {@code columns} weights of a type. */
  public static RowKernel of(TensorType type, int columns) {
    int i = type.ordinal();
    RowKernel kernel = KERNELS[i];
    if (kernel == null) { // two threads may make one each: they are alike
      kernel = Lanes.WIDE ? wide(type) : narrow(type);
      KERNELS[i] = kernel;
    }
    return columns % kernel.multiple() == 0 ? kernel : UNPACKED[i];
  }

  private static RowKernel wide(TensorType type) {
    return switch (type) {
      case F32 -> new UnpackedProduct(type);
      case F16 -> new HalfProduct(false);
      case BF16 -> new HalfProduct(true);
      case Q4_0 -> new NibbleProduct(NibbleProduct.LINEAR);
      case Q4_1 -> FifthBitProduct.Q4_1;
      case Q5_0 -> FifthBitProduct.Q5_0;
      case Q5_1 -> FifthBitProduct.Q5_1;
      case Q8_0 -> new Q8Product();
      case Q4_K -> new Q4KProduct();
      case Q5_K -> new Q5KProduct();
      case Q6_K -> new Q6KProduct();
      case IQ4_NL -> new NibbleProduct(NibbleProduct.NON_LINEAR);
      case IQ4_XS -> new Iq4XsProduct();
    };
  }

  private static RowKernel narrow(TensorType type) {
    return switch (type) {
      case F16 -> new HalfProduct(false);
      case BF16 -> new HalfProduct(true);
      case Q4_0 -> new Q40IntegerProduct();
      case Q8_0 -> new Q8NarrowProduct();
      case Q4_K -> new Q4KIntegerProduct();
      case Q5_K -> new Q5KIntegerProduct();
      case Q6_K -> new Q6KIntegerProduct();
      default -> new UnpackedProduct(type);
    };
  }
}
