package io.weir.bench;

import io.weir.Request;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRuleSet;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.RuleSet;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Lookup of the two rules that match a request, among few and among many rules: once with the same
 * requests for every number of rules, once with requests spread evenly over all rules, which with
 * many rules also measures their memory footprint. Run with {@code ./bench core}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class RuleLookupBench {
  static final String[] SIZES = {"10", "100", "1000", "10000"};
  static final String[] TRAFFICS = {"same-requests", "all-rules-hit"};
  private static final int USERS = 1 << 14;

  @Param({"10", "100", "1000", "10000"})
  public int rules;

  @Param({"same-requests", "all-rules-hit"})
  public String traffic;

  private final Fingerprint fingerprint = Fingerprint.random();
  private RuleSet set;
  private Request[] requests;
  private int[] sequence;

  @Setup
  public void setup() {
    RestApiWorkload resources = new RestApiWorkload(rules);
    set = resources.rules();
    requests = resources.requests(USERS, traffic.equals("same-requests") ? 9 : rules - 1);
    sequence = BenchmarkKeys.uniformSequence(USERS);
  }

  @Benchmark
  public Claim[] claims(SequenceCursor cursor) {
    return CompiledRuleSet.of(set).claims(requests[cursor.next(sequence)], fingerprint, 1);
  }
}
