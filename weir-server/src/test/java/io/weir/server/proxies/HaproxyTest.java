package io.weir.server.proxies;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A real HAProxy that asks by a script, with {@code deploy/haproxy/weir.cfg}. */
@Tag("slow")
class HaproxyTest extends AskingProxyContract {

  @BeforeAll
  static void isInstalled() {
    Assumptions.assumeTrue(
        RealProxy.find("haproxy").isPresent(), "no haproxy here; apt install haproxy");
  }

  @Override
  RealProxy start(Path folder, Map<String, String> addresses) {
    return RealProxy.haproxy(folder, "weir.cfg", addresses);
  }
}
