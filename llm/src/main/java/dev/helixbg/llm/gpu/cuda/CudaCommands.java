package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.helixbg.llm.gpu.cuda.LibCuda.Function;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What {@link Launches} wrote down since these commands were begun, between two events. */
final class CudaCommands implements GpuCommands {
  private final LibCuda cuda;
  private final long stream;
  private final Launches launches;
  private final long begin;
  private final long end;

  CudaCommands(LibCuda cuda, long stream, Launches launches) {
    this.cuda = cuda;
    this.stream = stream;
    this.launches = launches;
    launches.clear();
    begin = cuda.get(Function.EVENT_CREATE, 0);
    try {
      end = cuda.get(Function.EVENT_CREATE, 0);
    } catch (RuntimeException e) {
      cuda.ask(Function.EVENT_DESTROY, begin);
      throw e;
    }
  }

  @Override
  public void kernel(GpuKernel kernel) {
    launches.kernel(kernel.handle());
  }

  @Override
  public void buffer(int index, GpuBuffer buffer, long offset) {
    launches.pointer(index, ((CudaBuffer) buffer).address(offset));
  }

  @Override
  public void constants(int index, MemorySegment constants, int length) {
    launches.constants(index, constants, length);
  }

  @Override
  public void threadgroupBytes(int length) {
    launches.sharedBytes((length + 15) & -16);
  }

  @Override
  public void dispatch(int x, int y, int z, int threads) {
    launches.launch(x, y, z, threads);
  }

  @Override
  public void upload(GpuBuffer staged, long offset, long bytes) {
    CudaBuffer buffer = (CudaBuffer) staged;
    launches.upload(buffer.address(offset), buffer.data().address() + offset, bytes);
  }

  @Override
  public void commit(String label) {
    cuda.call(Function.EVENT_RECORD, begin, stream);
    launches.run();
    cuda.call(Function.EVENT_RECORD, end, stream);
  }

  @Override
  public boolean ended() {
    return cuda.ask(Function.EVENT_QUERY, end) != LibCuda.NOT_READY;
  }

  @Override
  public void await() {
    cuda.call(Function.EVENT_SYNCHRONIZE, end);
  }

  @Override
  public double seconds() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment milliseconds = arena.allocate(JAVA_FLOAT);
      cuda.call(Function.EVENT_ELAPSED_TIME, milliseconds.address(), begin, end);
      return milliseconds.get(JAVA_FLOAT, 0) / 1e3;
    }
  }

  @Override
  public void close() {
    cuda.ask(Function.EVENT_DESTROY, begin);
    cuda.ask(Function.EVENT_DESTROY, end);
  }
}
