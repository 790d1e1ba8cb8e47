package io.weir.spring.app;

import io.weir.spring.RateLimit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller whose methods have their own limits. */
@RestController
public class Quotes {

  @GetMapping("/quote")
  @RateLimit("2/m")
  public String quote() {
    return "quote";
  }

  @GetMapping("/twice")
  @RateLimit("5/m")
  @RateLimit(value = "1/s", id = "twice-a-second")
  public String twice() {
    return "twice";
  }

  @GetMapping("/both")
  @RateLimit(value = "2/m", per = "ip", id = "both-early")
  @RateLimit(value = "1/m", id = "both-late")
  public String both() {
    return "both";
  }

  @GetMapping("/shadowed")
  @RateLimit(value = "1/m", per = "ip", id = "shadowed-early", shadow = true)
  @RateLimit(value = "2/m", id = "shadowed-late")
  public String shadowed() {
    return "shadowed";
  }

  @GetMapping("/from-properties")
  @RateLimit("${quotes.limit:1}/m")
  public String fromProperties() {
    return "from properties";
  }

  @GetMapping("/named")
  public String named() {
    return "named";
  }

  @GetMapping({"/secret", "/letters", "/orders/7"})
  public String free() {
    return "free";
  }
}
