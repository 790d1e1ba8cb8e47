package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class ToolRequirementTest {
  private static final String MESSAGE = "nginx is not installed; apt install nginx";

  @Test
  void missingTool_skipsOnMachineOfDeveloper() {
    assertThatThrownBy(() -> ToolRequirement.require(false, MESSAGE, Map.of()))
        .isInstanceOf(TestAbortedException.class);
    assertThatThrownBy(() -> ToolRequirement.require(false, MESSAGE, Map.of("CI", "false")))
        .isInstanceOf(TestAbortedException.class);
  }

  @Test
  void missingTool_failsInCi() {
    assertThatThrownBy(() -> ToolRequirement.require(false, MESSAGE, Map.of("CI", "true")))
        .isInstanceOf(AssertionError.class)
        .hasMessage("a tool is missing in CI: " + MESSAGE);
  }

  @Test
  void installedTool_isNoFailure() {
    assertThatCode(() -> ToolRequirement.require(true, MESSAGE, Map.of("CI", "true")))
        .doesNotThrowAnyException();
  }
}
