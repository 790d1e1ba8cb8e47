package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.Outcome;
import io.weir.testkit.Soon;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A node in a JVM of its own, which does what it reads, one command a line, and writes one line for
 * each: {@code wall}, {@code drift}, {@code one algorithm limit caller}, {@code take algorithm
 * limit caller attempts threads}.
 */
final class Node {
  private final RedisStore store;

  private Node(String uri, String millis) {
    store = RedisStore.at(uri).deadline(Duration.ofMillis(Long.parseLong(millis))).open();
  }

  public static void main(String[] args) throws Exception {
    Node node = new Node(args[0], args[1]);
    Soon.until(Duration.ofSeconds(30), "a store", () -> node.store.health().available());
    say("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      say(node.answer(line.split(" ", -1)));
    }
    System.exit(0); // whoever started it is gone
  }

  private String answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "wall" -> Long.toString(Clock.wall().micros());
      case "drift" -> Long.toString(store.health().drift().toMillis());
      case "one" -> {
        say("asking");
        Outcome o = Asking.take(store, rule(words[1], words[2]), words[3], 1);
        yield o.degraded() + " " + o.fits();
      }
      case "take" ->
          take(
              rule(words[1], words[2]),
              words[3],
              Integer.parseInt(words[4]),
              Integer.parseInt(words[5]));
      default -> throw new IOException("unknown: " + words[0]);
    };
  }

  /** As many letters as attempts: y for admitted, n for refused, d for degraded. */
  private String take(Rule rule, String caller, int attempts, int threads) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Callable<String>> parts = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      parts.add(
          () -> {
            StringBuilder letters = new StringBuilder();
            for (int i = 0; i < attempts / threads; i++) {
              Outcome o = Asking.take(store, rule, caller, 1);
              letters.append(o.degraded() ? 'd' : o.fits() ? 'y' : 'n');
            }
            return letters.toString();
          });
    }
    StringBuilder all = new StringBuilder();
    for (var part : pool.invokeAll(parts)) {
      all.append(part.get());
    }
    pool.shutdown();
    return all.toString();
  }

  /** A limit such as 10/minute; or 1/hour+1000, with a burst. */
  private static Rule rule(String algorithm, String limit) {
    String[] parts = limit.split("\\+", -1);
    var rule =
        Rule.named("node").algorithm(algorithm).limit(parts[0]).onStoreFailure(Posture.CLOSED);
    return (parts.length > 1 ? rule.burst(Long.parseLong(parts[1])) : rule).build();
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
