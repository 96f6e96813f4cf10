package dev.helixbg.llm.gpu.metal;

/** The selectors that are sent for every token, looked up once. */
record CommandSelectors(
    long commandBuffer,
    long encoderOfType,
    long commit,
    long waitUntilCompleted,
    long status,
    long error,
    long gpuStartTime,
    long gpuEndTime,
    long setPipeline,
    long setBuffer,
    long setBytes,
    long setThreadgroupBytes,
    long dispatch,
    long barrier,
    long endEncoding) {

  CommandSelectors(ObjectiveC objc) {
    this(
        objc.selector("commandBuffer"),
        objc.selector("computeCommandEncoderWithDispatchType:"),
        objc.selector("commit"),
        objc.selector("waitUntilCompleted"),
        objc.selector("status"),
        objc.selector("error"),
        objc.selector("GPUStartTime"),
        objc.selector("GPUEndTime"),
        objc.selector("setComputePipelineState:"),
        objc.selector("setBuffer:offset:atIndex:"),
        objc.selector("setBytes:length:atIndex:"),
        objc.selector("setThreadgroupMemoryLength:atIndex:"),
        objc.selector("dispatchThreadgroups:threadsPerThreadgroup:"),
        objc.selector("memoryBarrierWithScope:"),
        objc.selector("endEncoding"));
  }
}
