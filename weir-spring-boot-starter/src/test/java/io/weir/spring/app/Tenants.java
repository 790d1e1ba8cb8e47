package io.weir.spring.app;

import io.weir.spring.RateLimit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A controller with limits per header field and per expression. */
@RestController
public class Tenants {

  @GetMapping("/tenant")
  @RateLimit(value = "1/m", per = "header.X-Tenant")
  public String tenant() {
    return "tenant";
  }

  @GetMapping("/tenants/{tenant}")
  @RateLimit(value = "1/m", per = "#{variable('tenant')}")
  public String tenant(@PathVariable("tenant") String tenant) {
    return tenant;
  }

  @GetMapping("/failing")
  @RateLimit(value = "1/m", per = "#{principal.name.noSuchThing}")
  public String failing() {
    return "failing";
  }
}
