package io.weir.rules;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;

/**
 * The rules of a file, followed as it changes.
 *
 * <p>A change is in force a moment after it is written, whether in place, by renaming another file
 * over it, or by turning a symbolic link elsewhere; what the system does not tell is found by
 * looking every second. A file that cannot be read as rules changes nothing: the last good rules
 * serve, the listeners hear why, and {@link #staleness} grows until the file is good again. A rule
 * that a change leaves as it was stays the same object.
 *
 * <p>Safe for any number of threads; {@link #current} is a mere read.
 */
public final class FileRules implements RuleSource, AutoCloseable {
  private static final Logger LOG = System.getLogger(FileRules.class.getName());
  private static final long NOT_DIFFERING = Long.MIN_VALUE;
  private static final long NEVER = Long.MAX_VALUE;
  private static final Duration MAX_CHECK_AGE = DirectoryWatcher.CHECK_INTERVAL.multipliedBy(3);
  private static final long RETRY_INTERVAL_MICROS = 60_000_000;

  private final Path file;
  private final Clock clock;
  private final List<RulesListener> listeners;
  private final DirectoryWatcher watcher;
  private final long maxBytes;
  private FileContent.FileIdentity lastRead;
  private FileContent.FileIdentity lastApplied;
  private long retryAtMicros = NEVER;
  private volatile RuleSet current;
  private volatile long differsSinceMicros = NOT_DIFFERING;
  private volatile long checkedAtMicros;

  FileRules(Path file, Clock clock, List<RulesListener> listeners) {
    this(file, clock, RulesSizeLimit.defaultMaxBytes(), listeners);
  }

  FileRules(Path file, Clock clock, long maxBytes, List<RulesListener> listeners) {
    this.file = file.toAbsolutePath();
    this.clock = clock;
    this.maxBytes = maxBytes;
    this.listeners = List.copyOf(listeners);
    FileContent content = FileContent.of(file, maxBytes);
    lastRead = content.identity();
    lastApplied = lastRead;
    current = RuleSet.of(1, content.parseRules());
    checkedAtMicros = clock.micros();
    watcher = DirectoryWatcher.start(this.file, clock, this::checkFile);
  }

  /**
   * The rules of a file, named as {@code file:rules.yaml} or by its path alone.
   *
   * @throws InvalidConfigurationException if it is missing or cannot be read as rules
   */
  public static FileRules open(String address, RulesListener... listeners) {
    return open(toPath(address), listeners);
  }

  /** The path of a file named as {@code file:rules.yaml} or by its path alone. */
  public static Path toPath(String address) {
    String path = address.startsWith("file:") ? address.substring("file:".length()) : address;
    return Path.of(path.startsWith("///") ? path.substring(2) : path);
  }

  /**
   * The rules of a file.
   *
   * @throws InvalidConfigurationException if it is missing or cannot be read as rules
   */
  public static FileRules open(Path file, RulesListener... listeners) {
    return open(file, RulesSizeLimit.defaultMaxBytes(), listeners);
  }

  /**
   * As {@link #open(Path, RulesListener)}, with another bound than that of {@link RulesSizeLimit}.
   *
   * @param maxBytes a larger file is refused before it is read
   */
  public static FileRules open(Path file, long maxBytes, RulesListener... listeners) {
    return new FileRules(file, Clock.system(), maxBytes, List.of(listeners));
  }

  /** Where the rules are written. */
  public Path file() {
    return file;
  }

  @Override
  public RuleSet current() {
    return current;
  }

  /**
   * For how long the file has said something else than what is served, or has not been looked at;
   * zero while in step.
   */
  @Override
  public Duration staleness() {
    long since = differsSinceMicros;
    long now = clock.micros();
    Duration unseen = elapsed(checkedAtMicros, now);
    Duration differs = since == NOT_DIFFERING ? Duration.ZERO : elapsed(since, now);
    return unseen.compareTo(MAX_CHECK_AGE) > 0 && unseen.compareTo(differs) > 0 ? unseen : differs;
  }

  private static Duration elapsed(long then, long now) {
    return Duration.of(Math.max(0, now - then), ChronoUnit.MICROS);
  }

  /** Looks at the file, and takes what it says if that is new. */
  synchronized void checkFile() {
    if (!FileContent.identify(file, maxBytes).equals(lastRead) || clock.micros() >= retryAtMicros) {
      reload();
    }
    checkedAtMicros = clock.micros();
  }

  private void reload() {
    FileContent content = FileContent.of(file, maxBytes);
    retryAtMicros = NEVER;
    lastRead = content.identity();
    if (lastRead.equals(lastApplied)) {
      markUpToDate();
      return;
    }
    try {
      apply(content);
    } catch (InvalidConfigurationException e) {
      markDiffering();
      reject(String.valueOf(e.getMessage()));
    } catch (OutOfMemoryError | StackOverflowError e) {
      markDiffering();
      retryAtMicros =
          clock.micros(); // reporting may run out of memory, too; then the next look retries
      reject(
          "%s: reading it failed with %s, maximum heap %d MiB; tried again in a minute or when it changes"
              .formatted(file, e, Runtime.getRuntime().maxMemory() >> 20));
      retryAtMicros = clock.micros() + RETRY_INTERVAL_MICROS;
    }
  }

  private void markDiffering() {
    differsSinceMicros = differsSinceMicros == NOT_DIFFERING ? clock.micros() : differsSinceMicros;
  }

  private void reject(String reason) {
    LOG.log(Level.WARNING, "refused, the last good rules serve:\n{0}", reason);
    notifyListeners(listener -> listener.rejected(reason));
  }

  private void apply(FileContent content) {
    List<Rule> rules = content.parseRules().stream().map(this::reuseIfEqual).toList();
    boolean changed = !rules.equals(current.rules());
    if (changed) {
      current = RuleSet.of(current.revision() + 1, rules);
    }
    lastApplied = lastRead;
    if (changed) {
      differsSinceMicros = NOT_DIFFERING;
      RuleSet taken = current;
      LOG.log(Level.INFO, "{0}: {1} rules, revision {2}", file, rules.size(), taken.revision());
      notifyListeners(listener -> listener.changed(taken));
    } else {
      markUpToDate();
    }
  }

  /** Who put a bad file right waits to be told so, also where the rules are what they were. */
  private void markUpToDate() {
    if (differsSinceMicros != NOT_DIFFERING) {
      differsSinceMicros = NOT_DIFFERING;
      LOG.log(Level.INFO, "{0}: good again, revision {1} serves", file, current.revision());
    }
  }

  /** The rule in force if it says the same, so that its limits stay the same objects. */
  private Rule reuseIfEqual(Rule rule) {
    Rule old = current.rule(rule.id());
    return old != null && old.equals(rule) ? old : rule;
  }

  private void notifyListeners(Consumer<RulesListener> news) {
    for (RulesListener listener : listeners) {
      try {
        news.accept(listener);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a listener of " + file + " failed", e);
      }
    }
  }

  /** Stops following the file; the rules in force stay. */
  @Override
  public void close() {
    watcher.close();
  }
}
