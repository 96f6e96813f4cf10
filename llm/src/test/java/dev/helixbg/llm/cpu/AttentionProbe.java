package dev.helixbg.llm.cpu;

/** A program that has attention agree with the reference, in a JVM whose vectors are narrower. */
final class AttentionProbe {
  private AttentionProbe() {}

  public static void main(String[] arguments) {
    var contract = new CpuBackendContractTest();
    contract.open();
    contract.attentionAgrees();
    contract.close();
    System.out.print("agrees");
  }
}
