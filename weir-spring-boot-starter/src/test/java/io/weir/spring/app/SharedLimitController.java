package io.weir.spring.app;

import io.weir.spring.RateLimit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller with one limit for all its methods together. */
@RestController
@RateLimit(
    value = "2/m",
    per = {},
    id = "shared")
public class SharedLimitController {

  @GetMapping("/shared/a")
  public String a() {
    return "a";
  }

  @GetMapping("/shared/b")
  public String b() {
    return "b";
  }
}
