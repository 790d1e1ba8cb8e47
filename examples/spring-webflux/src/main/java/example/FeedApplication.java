package example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** A WebFlux application with rate limit rules in {@code application.yaml}. */
@SpringBootApplication
@RestController
public class FeedApplication {

  @GetMapping("/feeds/{name}")
  Flux<String> feed(@PathVariable("name") String name) {
    return Flux.just("first of ", name);
  }

  public static void main(String[] args) {
    SpringApplication.run(FeedApplication.class, args);
  }
}
