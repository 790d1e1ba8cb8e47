package io.weir.bench.spring;

import io.weir.spring.RateLimit;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The application under test. */
@SpringBootApplication
@EnableCaching // Bucket4j's starter needs a cache
@RestController
class BenchApplication {

  @GetMapping("/hello")
  String hello() {
    return "hello";
  }

  @GetMapping("/annotated")
  @RateLimit(value = "1000000/h", per = "ip")
  String annotated() {
    return "annotated";
  }
}
