package io.weir.internal.region;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests of the allocation of a budget to regions by demand. */
class BudgetAllocatorTest {
  private static final long SEED = Long.getLong("weir.seed", 7);
  private static final int CASES = 20_000;

  @Test
  void noDemand_everyRegionGetsItsBase() {
    assertThat(divide(Map.of())).isEqualTo(Map.of("eu", 500, "us", 300, "ap", 200));
  }

  @Test
  void singleDemand_leavesATenthOfTheOtherBases() {
    assertThat(divide(Map.of("us", 5.0))).isEqualTo(Map.of("eu", 50, "us", 930, "ap", 20));
  }

  @Test
  void contention_everyRegionGetsItsBase() {
    assertThat(divide(Map.of("eu", 9.0, "us", 0.4, "ap", 3.0)))
        .isEqualTo(Map.of("eu", 500, "us", 300, "ap", 200));
  }

  @Test
  void unusedBudget_goesToOthersInProportionToTheirBases() {
    assertThat(divide(Map.of("eu", 0.1, "us", 2.0, "ap", 2.0)))
        .as("eu gets its demand plus 20%")
        .isEqualTo(Map.of("eu", 120, "us", 528, "ap", 352));
  }

  @Test
  void randomRegions_satisfyTheAllocationInvariants() {
    Random random = new Random(SEED);
    for (int i = 0; i < CASES; i++) {
      SortedMap<String, Integer> bases = new TreeMap<>();
      Map<String, Double> demands = new TreeMap<>();
      int total = random.nextInt(4) == 0 ? random.nextInt(1001) : 1000;
      double sum = 0;
      for (int n = 1 + random.nextInt(8); n > 0; n--) {
        int base = 10 * (1 + random.nextInt(100));
        sum += base;
        bases.put("r" + n, base);
        demands.put("r" + n, random.nextInt(3) == 0 ? 0 : Math.exp(random.nextGaussian() * 2 - 2));
      }
      Map<String, Integer> shares = BudgetAllocator.allocate(total, bases, demands);
      double all = sum;
      int whole = total;
      String description = "seed " + SEED + ", " + total + " over " + bases + " by " + demands;
      assertThat(shares.values().stream().mapToInt(s -> s).sum()).as(description).isEqualTo(total);
      double wanted = 0;
      for (Map.Entry<String, Integer> entry : bases.entrySet()) {
        String region = entry.getKey();
        int share = shares.getOrDefault(region, -1);
        double base = entry.getValue() / all * whole;
        double want = BudgetAllocator.HEADROOM * 1000 * demands.getOrDefault(region, 0.0);
        wanted += Math.max(want, base / 10);
        assertThat(share + 1.0)
            .as(
                "%s: %s gets a tenth of its base, and its demand up to its base",
                description, region)
            .isGreaterThanOrEqualTo(Math.max(base / 10, Math.min(want, base)));
      }
      if (wanted <= total) {
        demands.forEach(
            (region, demand) ->
                assertThat(shares.getOrDefault(region, -1) + 1.0)
                    .as("%s: %s gets its whole demand", description, region)
                    .isGreaterThanOrEqualTo(BudgetAllocator.HEADROOM * 1000 * demand));
      }
    }
  }

  private static Map<String, Integer> divide(Map<String, Double> demands) {
    return BudgetAllocator.allocate(
        1000, new TreeMap<>(Map.of("eu", 500, "us", 300, "ap", 200)), demands);
  }
}
