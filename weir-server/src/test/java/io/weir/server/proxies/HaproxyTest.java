package io.weir.server.proxies;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A real HAProxy that asks by a script, with {@code deploy/haproxy/weir.cfg}. */
@Tag("slow")
class HaproxyTest extends AuthRequestProxyContract {

  @BeforeAll
  static void isInstalled() {
    Assumptions.assumeTrue(
        ProxyProcess.findExecutable("haproxy").isPresent(), "no haproxy here; apt install haproxy");
  }

  @Override
  ProxyProcess start(Path folder, Map<String, String> addresses) {
    return ProxyProcess.haproxy(folder, "weir.cfg", addresses);
  }
}
