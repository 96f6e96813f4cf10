package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.KvShape.Storage;

/** A program that has attention agree with the reference, in a JVM whose vectors are narrower. */
final class AttentionProbe {
  private AttentionProbe() {}

  public static void main(String[] arguments) {
    for (Storage storage : Storage.values()) {
      var contract = new CpuBackendContractTest();
      contract.open();
      contract.attentionAgrees(storage);
      contract.close();
    }
    System.out.print("agrees");
  }
}
