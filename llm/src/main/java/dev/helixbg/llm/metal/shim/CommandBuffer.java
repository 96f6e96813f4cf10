package dev.helixbg.llm.metal.shim;

/** Work for the GPU: encoded, then committed, then waited for. */
public final class CommandBuffer implements AutoCloseable {
  // MTLCommandBufferStatus
  private static final long COMPLETED = 4;
  private static final long ERROR = 5;

  private final ObjectiveC objc;
  private final CommandSelectors selectors;
  private final long id;

  CommandBuffer(ObjectiveC objc, CommandSelectors selectors, long id) {
    this.objc = objc;
    this.selectors = selectors;
    this.id = id;
  }

  /** Names it for Metal's debugging tools. */
  public void label(String label) {
    objc.label(id, label);
  }

  /**
   * Opens an encoder; it must be ended before the next one is opened, and before {@link #commit}.
   *
   * @param concurrent whether dispatches run beside each other but for barriers, or one by one
   */
  public ComputeEncoder encoder(boolean concurrent) {
    try (ObjectiveC.Pool pool = objc.pool()) {
      // MTLDispatchType: serial 0, concurrent 1
      long made = objc.send.ask(id, selectors.encoderOfType(), concurrent ? 1 : 0);
      if (made == ObjectiveC.NIL) {
        throw new MetalException("Metal gave no command encoder");
      }
      return new ComputeEncoder(objc, selectors, objc.retain(made));
    }
  }

  /** Hands the work to the GPU. */
  public void commit() {
    objc.send.tell(id, selectors.commit());
  }

  /** Whether it has ended, well or not. */
  public boolean ended() {
    return objc.send.ask(id, selectors.status()) >= COMPLETED;
  }

  /**
   * Blocks until it has ended.
   *
   * @throws MetalException with Metal's reason if it failed
   */
  public void await() {
    if (!ended()) {
      objc.send.tell(id, selectors.waitUntilCompleted());
    }
    if (objc.send.ask(id, selectors.status()) == ERROR) {
      try (ObjectiveC.Pool pool = objc.pool()) {
        throw new MetalException(
            "the GPU could not finish its work: "
                + objc.errorText(objc.send.ask(id, selectors.error())));
      }
    }
  }

  /** Seconds that the GPU took, of a buffer that has ended. */
  public double gpuSeconds() {
    return objc.send.askDouble(id, selectors.gpuEndTime())
        - objc.send.askDouble(id, selectors.gpuStartTime());
  }

  @Override
  public void close() {
    objc.release(id);
  }
}
