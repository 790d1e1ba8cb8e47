package io.weir.spring.app;

import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Answers with the status in the path, in every way in which a controller can answer. */
@RestController
public class Logins {

  @GetMapping({"/login/returned/{status}", "/refunded/{status}"})
  public ResponseEntity<String> returned(@PathVariable("status") int status) {
    return ResponseEntity.status(status).body("returned");
  }

  @GetMapping("/login/thrown/{status}")
  public String thrown(@PathVariable("status") int status) {
    throw new ResponseStatusException(HttpStatusCode.valueOf(status));
  }

  @GetMapping("/login/failed/500")
  public String failed() {
    throw new IllegalStateException("planted");
  }

  @GetMapping("/login/async/{status}")
  public CompletableFuture<ResponseEntity<String>> async(@PathVariable("status") int status) {
    return CompletableFuture.supplyAsync(() -> returned(status));
  }

  @GetMapping("/login/async-thrown/{status}")
  public CompletableFuture<String> asyncThrown(@PathVariable("status") int status) {
    return CompletableFuture.supplyAsync(() -> thrown(status));
  }
}
