package example;

import io.weir.spring.RateLimit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class QuoteApplication {

  @GetMapping("/quote")
  @RateLimit("10/m")
  String quote() {
    return "Festina lente.";
  }

  public static void main(String[] args) {
    SpringApplication.run(QuoteApplication.class, args);
  }
}
