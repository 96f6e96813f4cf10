package dev.helixbg.llm.golden;

class CpuGoldenTwoThreadsTest extends CpuGoldenContract {
  CpuGoldenTwoThreadsTest() {
    super(2);
  }
}
