package io.weir.internal.store;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.rule.Fingerprint;
import io.weir.store.Clock;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * The file format for the counters of a {@link MemoryStore}, which lets them survive a restart.
 *
 * <p>The header has a magic number, the version, the seed of the hash that turns callers into keys,
 * and how far the store's clock was behind the wall clock. Then every state that was not fresh
 * follows, as three words like a slot of the table: its key; its time, with its {@link
 * PackedDuration} in the upper bits; the used units, with two flags. One of the flags tells that
 * further numbers follow. A key of 0 ends the states, and a checksum of all bytes ends the file.
 *
 * <p><b>Time.</b> States keep their times, which are relative to the epoch, so time goes on between
 * the runs. Two clock changes are corrected. If the wall clock was set forward and the store's
 * clock had not followed it yet, the clock of the next run is that much ahead, and the states are
 * moved forward by the same amount. Differences below a second are ignored, since no two clocks
 * agree, and since moved windows that are aligned to the clock weigh a little less. If the wall
 * clock was set back, the states are in the future and are moved back to the present.
 */
final class CounterSnapshot {
  private static final Logger LOG = System.getLogger(MemoryStore.class.getName());
  private static final long MAGIC = 0x57454952_534e4150L; // WEIRSNAP
  private static final int VERSION = 1;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int MIN_FILE_BYTES = 5 * Long.BYTES + Integer.BYTES + CHECKSUM_BYTES;
  private static final long CLOCK_TOLERANCE_MICROS = 1_000_000;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final long NUMBER_MASK = (1L << 53) - 1;
  private static final long MORE_FLAG = 1L << 63;
  private static final long EXHAUSTED_FLAG = 1L << 62;

  private CounterSnapshot() {}

  /**
   * Replaces the file atomically, so that a reader finds either the complete old file or the
   * complete new one. A segment is locked only while its states are copied.
   */
  static void write(Path file, Fingerprint fingerprint, Clock clock, CounterSegment[] segments)
      throws IOException {
    Path whole = file.toAbsolutePath();
    Path folder = whole.getParent();
    if (folder == null) {
      throw new IOException("the snapshot must be the path of a file (was " + file + ")");
    }
    if (!Files.isDirectory(folder)) { // true for a link to a folder, too
      Files.createDirectories(folder);
    }
    Path next = folder.resolve(whole.getFileName() + ".next");
    Files.deleteIfExists(next); // left by a process that was interrupted
    try {
      try (FileChannel channel =
          FileChannel.open(next, Set.of(CREATE_NEW, WRITE), ownerOnlyPermissions(folder))) {
        write(Channels.newOutputStream(channel), fingerprint, clock, segments);
        channel.force(true);
      }
      Files.move(next, whole, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
    syncFolder(folder);
  }

  /** The file is readable by its owner only: with the seed, an attacker could cause collisions. */
  private static FileAttribute<?>[] ownerOnlyPermissions(Path folder) {
    boolean isPosix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    return isPosix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /** Forces the new name of the file to disk, where the system lets folders be opened. */
  private static void syncFolder(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, READ)) {
      channel.force(true);
    } catch (IOException e) {
      return; // not supported here; the system decides when the name is durable
    }
  }

  private static void write(
      OutputStream file, Fingerprint fingerprint, Clock clock, CounterSegment[] segments)
      throws IOException {
    CheckedOutputStream checked = new CheckedOutputStream(file, new CRC32C());
    ByteArrayOutputStream batch = new ByteArrayOutputStream(2 * BUFFER_BYTES);
    DataOutputStream out = new DataOutputStream(batch);
    out.writeLong(MAGIC);
    out.writeInt(VERSION);
    out.writeLong(fingerprint.seed0());
    out.writeLong(fingerprint.seed1());
    out.writeLong(clock.wallMicros() - clock.micros());
    long now = clock.micros();
    for (CounterSegment segment : segments) {
      segment.lock();
      try {
        segment.forEachLive(
            now, (key, s, freshAt, exhausted) -> write(out, key, s, freshAt, exhausted));
      } finally {
        segment.unlock();
      }
      if (batch.size() >= BUFFER_BYTES) {
        batch.writeTo(checked);
        batch.reset();
      }
    }
    out.writeLong(0);
    batch.writeTo(checked);
    batch.reset();
    out.writeInt((int) checked.getChecksum().getValue());
    batch.writeTo(file);
  }

  private static void write(
      DataOutputStream out, long key, CounterState s, long freshAt, boolean exhausted)
      throws IOException {
    boolean more = !CounterSegment.fitsSlot(s);
    out.writeLong(key);
    out.writeLong(s.time | (long) PackedDuration.encode(freshAt - s.time) << 53);
    out.writeLong(s.used | (exhausted ? EXHAUSTED_FLAG : 0) | (more ? MORE_FLAG : 0));
    if (more) {
      out.writeLong(s.previous);
      out.writeInt(s.entriesLength);
      for (int i = 0; i < s.entriesLength; i++) {
        out.writeLong(s.entries[i]);
      }
    }
  }

  /**
   * Creates a store with the counters of a file.
   *
   * @throws IOException if the file cannot be read, with the reason as its message
   */
  static MemoryStore read(Path file, Clock clock, long maxBytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ)) {
      verify(channel);
      DataInputStream in =
          new DataInputStream(
              new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES));
      in.skipNBytes(Long.BYTES + Integer.BYTES);
      Fingerprint fingerprint = new Fingerprint(in.readLong(), in.readLong());
      long fellBehind = in.readLong() - clock.wallMicros() + clock.micros();
      MemoryStore store = new MemoryStore(clock, maxBytes, fingerprint);
      restore(store, in, fellBehind < CLOCK_TOLERANCE_MICROS ? 0 : fellBehind, clock.micros());
      return store;
    }
  }

  /** Rejects a file that is not a complete snapshot, before any of it is used. */
  private static void verify(FileChannel channel) throws IOException {
    long size = channel.size();
    ByteBuffer part = ByteBuffer.allocate(BUFFER_BYTES);
    CRC32C sum = new CRC32C();
    for (long at = 0; at < size - CHECKSUM_BYTES; at += part.limit()) {
      read(
          channel,
          part.clear().limit((int) Math.min(BUFFER_BYTES, size - CHECKSUM_BYTES - at)),
          at);
      if (at == 0) {
        verifyHeader(part);
      }
      sum.update(part);
    }
    if (size < MIN_FILE_BYTES) {
      throw new IOException("it is truncated");
    }
    read(channel, part.clear().limit(CHECKSUM_BYTES), size - CHECKSUM_BYTES);
    if (part.getInt() != (int) sum.getValue()) {
      throw new IOException("it is damaged or truncated");
    }
  }

  private static void verifyHeader(ByteBuffer start) throws IOException {
    if (start.limit() < Long.BYTES + Integer.BYTES || start.getLong(0) != MAGIC) {
      throw new IOException("it is not a snapshot");
    }
    int version = start.getInt(Long.BYTES);
    if (version != VERSION) {
      throw new IOException(
          "it has version " + version + ", but only version " + VERSION + " is supported");
    }
  }

  private static void read(FileChannel channel, ByteBuffer part, long at) throws IOException {
    while (part.hasRemaining()) {
      if (channel.read(part, at + part.position()) < 0) {
        throw new IOException("it was truncated while it was read");
      }
    }
    part.flip();
  }

  private static void restore(MemoryStore store, DataInputStream in, long shift, long now)
      throws IOException {
    CounterState s = new CounterState();
    long lost = 0;
    for (long key = in.readLong(); key != 0; key = in.readLong()) {
      long time = in.readLong();
      long used = in.readLong();
      long life = PackedDuration.decode((int) (time >>> 53));
      s.clear();
      s.time = (time & NUMBER_MASK) + shift;
      s.used = used & NUMBER_MASK;
      if ((used & MORE_FLAG) != 0) {
        readExtraNumbers(in, s, shift);
      }
      if (s.time > now) {
        life = s.previous == 0 ? life : 2 * life;
        moveBackToNow(s, now);
      }
      if (s.time + life > now) {
        boolean exhausted = (used & EXHAUSTED_FLAG) != 0;
        lost += store.segment(key).insert(key, s, s.time + life, exhausted, now) ? 0 : 1;
      }
    }
    if (store.counters() > 0) {
      LOG.log(Level.INFO, "restored {0} counters of the last run", store.counters());
    }
    if (lost > 0) {
      LOG.log(
          Level.WARNING,
          "{0} counters of the last run do not fit into the store and start fresh",
          lost);
    }
  }

  private static void readExtraNumbers(DataInputStream in, CounterState s, long shift)
      throws IOException {
    s.previous = in.readLong();
    int size = in.readInt();
    while (s.entriesLength < size) {
      s.ensureCapacity(2);
      s.entries[s.entriesLength++] = in.readLong() + shift;
      s.entries[s.entriesLength++] = in.readLong();
    }
  }

  /**
   * Moves a state from the future to the present: no wait gets longer than when it was written, and
   * no permits are refunded. The windows of the usage are no longer known, so all of it counts in
   * the current window.
   */
  private static void moveBackToNow(CounterState s, long now) {
    for (int i = 0; i < s.entriesLength; i += 2) {
      s.entries[i] -= s.time - now;
    }
    s.time = now;
    s.used += s.previous;
    s.previous = 0;
  }
}
