package io.weir.server.proxies;

import io.weir.testkit.ToolRequirement;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * A real nginx that calls Weir with {@code auth_request}, with {@code
 * deploy/nginx/auth-request.conf}.
 */
@Tag("slow")
class NginxTest extends AuthRequestProxyContract {

  @BeforeAll
  static void isInstalled() {
    ToolRequirement.require(
        ProxyProcess.findExecutable("nginx").isPresent(),
        "nginx is not installed; apt install nginx");
  }

  @Override
  ProxyProcess start(Path folder, Map<String, String> addresses) {
    return ProxyProcess.nginx(folder, "auth-request.conf", addresses);
  }
}
