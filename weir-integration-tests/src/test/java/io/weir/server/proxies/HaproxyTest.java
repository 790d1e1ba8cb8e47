package io.weir.server.proxies;

import io.weir.testkit.ToolRequirement;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A real HAProxy that calls Weir from a Lua script, with {@code deploy/haproxy/weir.cfg}. */
@Tag("slow")
class HaproxyTest extends AuthRequestProxyContract {

  @BeforeAll
  static void isInstalled() {
    ToolRequirement.require(
        ProxyProcess.findExecutable("haproxy").isPresent(),
        "haproxy is not installed; apt install haproxy");
  }

  @Override
  ProxyProcess start(Path folder, Map<String, String> addresses) {
    return ProxyProcess.haproxy(folder, "weir.cfg", addresses);
  }
}
