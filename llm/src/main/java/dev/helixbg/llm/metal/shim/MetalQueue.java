package dev.helixbg.llm.metal.shim;

/** Where command buffers come from; those of one queue run in the order of their commits. */
public final class MetalQueue {
  private final ObjectiveC objc;
  private final CommandSelectors selectors;
  private final long id;

  MetalQueue(ObjectiveC objc, CommandSelectors selectors, long id) {
    this.objc = objc;
    this.selectors = selectors;
    this.id = id;
  }

  /** An empty command buffer; whoever asked for it closes it. */
  public CommandBuffer commandBuffer() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      long made = objc.send.ask(id, selectors.commandBuffer());
      if (made == ObjectiveC.NIL) {
        throw new MetalException("Metal gave no command buffer");
      }
      return new CommandBuffer(objc, selectors, objc.retain(made));
    }
  }
}
