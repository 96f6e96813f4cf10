package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What {@link Launches} wrote down since these commands were begun, between two events. */
final class CudaCommands implements GpuCommands {
  private final CudaDevice device;
  private final LibCuda cuda;
  private final long stream;
  private final Launches launches;
  private final long begin;
  private final long end;

  CudaCommands(CudaDevice device, LibCuda cuda, long stream, Launches launches) {
    this.device = device;
    this.cuda = cuda;
    this.stream = stream;
    this.launches = launches;
    launches.clear();
    begin = cuda.get(cuda.eventCreate, 0);
    end = cuda.get(cuda.eventCreate, 0);
  }

  @Override
  public void kernel(GpuKernel kernel) {
    launches.kernel(((CudaKernel) kernel).function());
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

  /** One after another they run anyway. */
  @Override
  public void barrier() {}

  @Override
  public void upload(GpuBuffer staged, long offset, long bytes) {
    CudaBuffer buffer = (CudaBuffer) staged;
    launches.upload(buffer.address(offset), buffer.data().address() + offset, bytes);
  }

  @Override
  public void commit(String label) {
    device.enter();
    cuda.call(cuda.eventRecord, begin, stream);
    launches.run();
    cuda.call(cuda.eventRecord, end, stream);
  }

  @Override
  public boolean ended() {
    device.enter();
    return cuda.ask(cuda.eventQuery, end) != LibCuda.NOT_READY;
  }

  @Override
  public void await() {
    device.enter();
    cuda.call(cuda.eventSynchronize, end);
  }

  @Override
  public double seconds() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment milliseconds = arena.allocate(JAVA_FLOAT);
      device.enter();
      cuda.call(cuda.eventElapsedTime, milliseconds.address(), begin, end);
      return milliseconds.get(JAVA_FLOAT, 0) / 1e3;
    }
  }

  @Override
  public void close() {
    device.enter();
    cuda.ask(cuda.eventDestroy, begin);
    cuda.ask(cuda.eventDestroy, end);
  }
}
