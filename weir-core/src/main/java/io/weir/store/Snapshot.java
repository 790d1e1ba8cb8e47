package io.weir.store;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.weir.algorithm.State;
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
 * slot of the table: its key; its time, with its {@link Life} in the upper bits; what is used, with
 * two marks. If one of those says so, the rest of its numbers follow. A key of 0 ends them, and a
 * checksum of everything the file.
 *
 * <p><b>Time.</b> States keep their times, which are the epoch's, so what passed meanwhile has
 * passed. Two faults of clocks are made good. If the wall clock was set forward while the store ran
 * by a clock that had not followed it yet, the next run's clock is that much ahead, and states are
 * moved on by as much. Not for less than a second, as no two clocks agree, and windows that begin
 * by the clock are weighed a little less once moved. If it was set back, states are ahead, and come
 * back to the present.
 */
final class Snapshot {
  private static final Logger LOG = System.getLogger(MemoryStore.class.getName());
  private static final long MARK = 0x57454952_534e4150L; // WEIRSNAP
  private static final int VERSION = 1;
  private static final int CHECKSUM = Integer.BYTES;
  private static final int SHORTEST = 5 * Long.BYTES + Integer.BYTES + CHECKSUM;
  private static final long TOLERANCE = 1_000_000;
  private static final int ENOUGH = 1 << 16;
  private static final long NUMBER = (1L << 53) - 1;
  private static final long MORE = 1L << 63;
  private static final long EXHAUSTED = 1L << 62;

  private Snapshot() {}

  /**
   * Replaces the file, so that whoever reads finds the old one or the new one, whole. A segment is
   * locked only while its states are copied.
   */
  static void write(Path file, Fingerprint fingerprint, Clock clock, Segment[] segments)
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
          FileChannel.open(next, Set.of(CREATE_NEW, WRITE), onlyForItsOwner(folder))) {
        write(Channels.newOutputStream(channel), fingerprint, clock, segments);
        channel.force(true);
      }
      Files.move(next, whole, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
    sync(folder);
  }

  /** Whoever knows the seed could make callers collide. */
  private static FileAttribute<?>[] onlyForItsOwner(Path folder) {
    boolean knowsOwners = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    return knowsOwners
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /** Makes the file's new name last, where a system lets folders be opened. */
  private static void sync(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, READ)) {
      channel.force(true);
    } catch (IOException e) {
      return; // then its name is as lasting as the system makes it
    }
  }

  private static void write(
      OutputStream file, Fingerprint fingerprint, Clock clock, Segment[] segments)
      throws IOException {
    CheckedOutputStream checked = new CheckedOutputStream(file, new CRC32C());
    ByteArrayOutputStream batch = new ByteArrayOutputStream(2 * ENOUGH);
    DataOutputStream out = new DataOutputStream(batch);
    out.writeLong(MARK);
    out.writeInt(VERSION);
    out.writeLong(fingerprint.seed0());
    out.writeLong(fingerprint.seed1());
    out.writeLong(clock.wallMicros() - clock.micros());
    long now = clock.micros();
    for (Segment segment : segments) {
      segment.lock();
      try {
        segment.each(now, (key, s, freshAt, exhausted) -> write(out, key, s, freshAt, exhausted));
      } finally {
        segment.unlock();
      }
      if (batch.size() >= ENOUGH) {
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
      DataOutputStream out, long key, State s, long freshAt, boolean exhausted) throws IOException {
    boolean more = !Segment.fitsSlot(s);
    out.writeLong(key);
    out.writeLong(s.time | (long) Life.encode(freshAt - s.time) << 53);
    out.writeLong(s.used | (exhausted ? EXHAUSTED : 0) | (more ? MORE : 0));
    if (more) {
      out.writeLong(s.before);
      out.writeInt(s.size);
      for (int i = 0; i < s.size; i++) {
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
      check(channel);
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), ENOUGH));
      in.skipNBytes(Long.BYTES + Integer.BYTES);
      Fingerprint fingerprint = new Fingerprint(in.readLong(), in.readLong());
      long fellBehind = in.readLong() - clock.wallMicros() + clock.micros();
      MemoryStore store = new MemoryStore(clock, maxBytes, fingerprint);
      fill(store, in, fellBehind < TOLERANCE ? 0 : fellBehind, clock.micros());
      return store;
    }
  }

  /** Refuses what is not a snapshot as it was written, before anything is believed. */
  private static void check(FileChannel channel) throws IOException {
    long size = channel.size();
    ByteBuffer part = ByteBuffer.allocate(ENOUGH);
    CRC32C sum = new CRC32C();
    for (long at = 0; at < size - CHECKSUM; at += part.limit()) {
      read(channel, part.clear().limit((int) Math.min(ENOUGH, size - CHECKSUM - at)), at);
      if (at == 0) {
        checkStart(part);
      }
      sum.update(part);
    }
    if (size < SHORTEST) {
      throw new IOException("it is cut short");
    }
    read(channel, part.clear().limit(CHECKSUM), size - CHECKSUM);
    if (part.getInt() != (int) sum.getValue()) {
      throw new IOException("it is damaged or cut short");
    }
  }

  private static void checkStart(ByteBuffer start) throws IOException {
    if (start.limit() < Long.BYTES + Integer.BYTES || start.getLong(0) != MARK) {
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

  private static void fill(MemoryStore store, DataInputStream in, long shift, long now)
      throws IOException {
    State s = new State();
    long lost = 0;
    for (long key = in.readLong(); key != 0; key = in.readLong()) {
      long time = in.readLong();
      long used = in.readLong();
      long life = Life.decode((int) (time >>> 53));
      s.clear();
      s.time = (time & NUMBER) + shift;
      s.used = used & NUMBER;
      if ((used & MORE) != 0) {
        readMore(in, s, shift);
      }
      if (s.time > now) {
        life = s.before == 0 ? life : 2 * life;
        comeBack(s, now);
      }
      if (s.time + life > now) {
        boolean exhausted = (used & EXHAUSTED) != 0;
        lost += store.segment(key).adopt(key, s, s.time + life, exhausted, now) ? 0 : 1;
      }
    }
    if (store.counters() > 0) {
      LOG.log(Level.INFO, "{0} counters of the last run are in force again", store.counters());
    }
    if (lost > 0) {
      LOG.log(Level.WARNING, "{0} counters of the last run find no room and start fresh", lost);
    }
  }

  private static void readMore(DataInputStream in, State s, long shift) throws IOException {
    s.before = in.readLong();
    int size = in.readInt();
    while (s.size < size) {
      s.reserve(2);
      s.entries[s.size++] = in.readLong() + shift;
      s.entries[s.size++] = in.readLong();
    }
  }

  /**
   * Makes a state that is ahead speak of now: nobody waits longer than when it was written, and
   * nothing is given back. Which windows were used is not known any more, so all count as this one.
   */
  private static void comeBack(State s, long now) {
    for (int i = 0; i < s.size; i += 2) {
      s.entries[i] -= s.time - now;
    }
    s.time = now;
    s.used += s.before;
    s.before = 0;
  }
}
