package io.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class DemoTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Demo demo = new Demo(new PrintStream(printed, true, UTF_8));

  @Test
  void playsEveryAlgorithm() {
    assertThat(demo.run("demo")).isZero();
    assertThat(printed.toString(UTF_8))
        .containsPattern("token-bucket +(\\+ +){4}")
        .containsPattern("leaky-bucket +\\+ +\\+2.5s")
        .contains("fixed-window", "sliding-log", "sliding-counter")
        .contains("allowed by api, 99 of 100 left");
  }

  @Test
  void helpTeachesAndTheUnknownIsRefused() {
    assertThat(demo.run("--help")).isZero();
    assertThat(demo.run("sreve")).isEqualTo(1);
    assertThat(printed.toString(UTF_8)).contains("unknown command [sreve]").contains("usage:");
  }
}
