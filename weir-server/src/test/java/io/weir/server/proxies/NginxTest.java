package io.weir.server.proxies;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A real nginx that asks by {@code auth_request}, with {@code deploy/nginx/auth-request.conf}. */
@Tag("slow")
class NginxTest extends AskingProxyContract {

  @BeforeAll
  static void isInstalled() {
    Assumptions.assumeTrue(RealProxy.find("nginx").isPresent(), "no nginx here; apt install nginx");
  }

  @Override
  RealProxy start(Path folder, Map<String, String> addresses) {
    return RealProxy.nginx(folder, "auth-request.conf", addresses);
  }
}
