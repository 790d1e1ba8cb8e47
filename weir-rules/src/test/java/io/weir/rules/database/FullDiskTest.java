package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** Changes on a full disk. */
@Tag("slow")
class FullDiskTest {

  @Test
  @DisplayName("H2 on a full disk rejects changes, and accepts them again once there is space")
  void h2OnFullDisk_rejectsChangesAndRecovers(@TempDir Path folder) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    Path copy = Files.createDirectory(folder.resolve("copy"));
    try (ChildJvm node =
        ChildJvm.startOnSmallDisk(
                disk, 4096, FullDiskProcess.class, disk.toString(), copy.toString())
            .orElseThrow(
                () ->
                    new TestAbortedException(
                        "a small tmpfs cannot be mounted here: unshare -rm is not permitted"))) {
      node.await("filled ");
      assertThat(node.await("answer ")).startsWith("jdbc:h2:file:").doesNotStartWith("ok");
      assertThat(node.await("failure ")).isNotEmpty();
      assertThat(node.await("retry ")).doesNotStartWith("ok");
      assertThat(node.await("rules ")).isEqualTo("1");
      assertThat(node.await("after ")).startsWith("ok");
      assertThat(node.await("staleMillis ")).isEqualTo("0");
      assertThat(node.await("survivors ")).isEqualTo("before,after");
    }
  }
}
