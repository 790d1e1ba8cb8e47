package io.weir.internal.glob;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Patterns of addresses: networks such as {@code 10.0.0.0/8}, single addresses in any spelling, and
 * globs. A value is an address, or the network as which a caller is counted, such as {@code
 * 2001:db8::/64}, which matches the networks that contain it.
 *
 * <p>The networks of each prefix length are in one hash table, so a lookup costs one probe per
 * length, whether there are ten networks or a hundred thousand.
 */
final class AddressPatterns implements PatternIndex {
  private final GlobTree globs = new GlobTree();
  private final @Nullable NetworkTable[] byLength = new NetworkTable[IpBits.BITS + 1];
  private int[] lengths = GlobTree.NONE;

  @Override
  public void add(String pattern, int... numbers) {
    IpBits.Network network = IpBits.parseNetwork(pattern);
    if (network == null) {
      globs.add(pattern, numbers);
      return;
    }
    NetworkTable table = byLength[network.length()];
    if (table == null) {
      table = new NetworkTable();
      byLength[network.length()] = table;
      lengths = GlobTree.merge(lengths, new int[] {network.length()});
    }
    table.add(network.bits().masked(network.length()), numbers);
  }

  @Override
  public int[] find(String value) {
    int[] found = globs.find(value);
    IpBits.Network network = lengths.length == 0 ? null : IpBits.parseNetwork(value);
    if (network == null) {
      return found;
    }
    for (int length : lengths) {
      NetworkTable table = byLength[length];
      if (length > network.length() || table == null) {
        break;
      }
      found = GlobTree.merge(found, table.find(network.bits().masked(length)));
    }
    return found;
  }

  /** The numbers of networks of the same length, in an open hash table. */
  private static final class NetworkTable {
    private long[] high = new long[16];
    private long[] low = new long[16];
    private int[][] numbers = emptyNumbers(16);
    private int size;

    void add(IpBits network, int[] added) {
      if (2 * ++size > numbers.length) {
        grow();
      }
      int slot = slot(network.high(), network.low());
      high[slot] = network.high();
      low[slot] = network.low();
      numbers[slot] = GlobTree.merge(numbers[slot], added);
    }

    int[] find(IpBits network) {
      return numbers[slot(network.high(), network.low())];
    }

    /** Returns the slot of a network, or the empty slot where it belongs. */
    private int slot(long h, long l) {
      long hash = (h * 0x9e3779b97f4a7c15L ^ l) * 0xff51afd7ed558ccdL;
      int slot = (int) (hash >>> 32) & numbers.length - 1;
      while (numbers[slot].length > 0 && (low[slot] != l || high[slot] != h)) {
        slot = slot + 1 & numbers.length - 1;
      }
      return slot;
    }

    private static int[][] emptyNumbers(int count) {
      int[][] empty = new int[count][];
      Arrays.fill(empty, GlobTree.NONE);
      return empty;
    }

    private void grow() {
      long[] oldHigh = high;
      long[] oldLow = low;
      int[][] old = numbers;
      high = Arrays.copyOf(high, 2 * old.length);
      low = Arrays.copyOf(low, 2 * old.length);
      numbers = emptyNumbers(2 * old.length);
      for (int i = 0; i < old.length; i++) {
        if (old[i].length > 0) {
          int slot = slot(oldHigh[i], oldLow[i]);
          high[slot] = oldHigh[i];
          low[slot] = oldLow[i];
          numbers[slot] = old[i];
        }
      }
    }
  }
}
