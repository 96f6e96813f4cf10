package dev.helixbg.llm.golden;

class CpuGoldenOneThreadTest extends CpuGoldenContract {
  CpuGoldenOneThreadTest() {
    super(1);
  }
}
