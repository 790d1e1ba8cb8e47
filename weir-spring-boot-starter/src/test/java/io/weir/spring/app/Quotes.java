package io.weir.spring.app;

import io.weir.spring.RateLimit;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller whose methods have their own limits. */
@RestController
public class Quotes {
  private volatile CompletableFuture<String> running = CompletableFuture.completedFuture("none");

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

  @GetMapping("/in-flight/running")
  @RateLimit(
      inFlight = 1,
      heldAtMost = "1m",
      per = {})
  public CompletableFuture<String> running() {
    running = new CompletableFuture<>();
    return running;
  }

  /** Ends the running request; returns whether there was one. */
  @GetMapping("/in-flight/finish")
  public boolean finish() {
    return running.complete("finished");
  }

  @GetMapping("/in-flight/error")
  @RateLimit(
      inFlight = 1,
      per = {})
  public String failing() {
    throw new IllegalStateException("as intended");
  }

  @GetMapping("/in-flight/quick")
  @RateLimit(
      value = "1000/s",
      inFlight = 1,
      per = {})
  public String quick() {
    return "quick";
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
