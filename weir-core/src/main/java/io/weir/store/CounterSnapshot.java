package io.weir.store;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.weir.algorithm.CounterState;
import io.weir.rule.Fingerprint;
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
 * The counters of a {@link MemoryStore} as a file, by which they outlive a restart.
 *
 * <p>A head: a mark, the version, the seed that makes callers into keys, and how far the store's
 * clock stood behind the wall clock. Then, of every state that was not fresh, three words as in a
 * slot of the table: its key; its time, with its {@link PackedDuration} in the upper bits; what is
 * used, with two marks. If one of those says so, the rest of its numbers follow. A key of 0 ends
 * them, and a checksum of everything the file.
 *
 * <p><b>Time.</b> States keep their times, which are the epoch's, so what passed meanwhile has
 * passed. Two faults of clocks are made good. If the wall clock was set forward while the store ran
 * by a clock that had not followed it yet, the next run's clock is that much ahead, and states are
 * moved on by as much. Not for less than a second, as no two clocks agree, and windows that begin
 * by the clock are weighed a little less once moved. If it was set back, states are ahead, and come
 * back to the present.
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
   * Replaces the file, so that whoever reads finds the old one or the new one, whole. A segment is
   * locked only while its states are copied.
   */
  static void write(Path file, Fingerprint fingerprint, Clock clock, CounterSegment[] segments)
      throws IOException {
    Path whole = file.toAbsolutePath();
    Path folder = whole.getParent();
    if (folder == null) {
      throw new IOException(file + " is no file; write the path of one");
    }
    if (!Files.isDirectory(folder)) { // it may be a link to one
      Files.createDirectories(folder);
    }
    Path next = folder.resolve(whole.getFileName() + ".next");
    Files.deleteIfExists(next); // of a process that ended half-way
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

  /** Whoever knows the seed could make callers collide. */
  private static FileAttribute<?>[] ownerOnlyPermissions(Path folder) {
    boolean knowsOwners = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    return knowsOwners
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /** Makes the file's new name last, where a system lets folders be opened. */
  private static void syncFolder(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, READ)) {
      channel.force(true);
    } catch (IOException e) {
      return; // then its name is as lasting as the system makes it
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
   * A store with the counters of a file.
   *
   * @throws IOException saying why it cannot be read
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

  /** Refuses what is not a snapshot as it was written, before anything is believed. */
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
      throw new IOException("it is cut short");
    }
    read(channel, part.clear().limit(CHECKSUM_BYTES), size - CHECKSUM_BYTES);
    if (part.getInt() != (int) sum.getValue()) {
      throw new IOException("it is damaged or cut short");
    }
  }

  private static void verifyHeader(ByteBuffer start) throws IOException {
    if (start.limit() < Long.BYTES + Integer.BYTES || start.getLong(0) != MAGIC) {
      throw new IOException("it is not a snapshot");
    }
    int version = start.getInt(Long.BYTES);
    if (version != VERSION) {
      throw new IOException("it is of version " + version + ", not " + VERSION);
    }
  }

  private static void read(FileChannel channel, ByteBuffer part, long at) throws IOException {
    while (part.hasRemaining()) {
      if (channel.read(part, at + part.position()) < 0) {
        throw new IOException("it became shorter while it was read");
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
      LOG.log(Level.INFO, "{0} counters of the last run are in force again", store.counters());
    }
    if (lost > 0) {
      LOG.log(Level.WARNING, "{0} counters of the last run find no room and start fresh", lost);
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
   * Makes a state that is ahead speak of now: nobody waits longer than when it was written, and
   * nothing is given back. Which windows were used is not known any more, so all count as this one.
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
