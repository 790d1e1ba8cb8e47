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
 * A rule source that reads a file and reloads it when it changes.
 *
 * <p>A change is in force shortly after it is written, whether in place, by renaming another file
 * over it, or by redirecting a symbolic link; changes without a file system event are found by
 * checking the file every second. An invalid file changes nothing: the last good rules stay in
 * force, the listeners are notified, and {@link #staleness} grows until the file is valid again. A
 * rule that did not change stays the same object.
 *
 * <p>Thread-safe; {@link #current} is a single volatile read.
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
   * Opens the rules of a file, given as {@code file:rules.yaml} or as its path alone.
   *
   * @throws InvalidConfigurationException if the file is missing or invalid
   */
  public static FileRules open(String address, RulesListener... listeners) {
    return open(toPath(address), listeners);
  }

  /** Returns the path of a file given as {@code file:rules.yaml} or as its path alone. */
  public static Path toPath(String address) {
    String path = address.startsWith("file:") ? address.substring("file:".length()) : address;
    return Path.of(path.startsWith("///") ? path.substring(2) : path);
  }

  /**
   * Opens the rules of a file.
   *
   * @throws InvalidConfigurationException if the file is missing or invalid
   */
  public static FileRules open(Path file, RulesListener... listeners) {
    return open(file, RulesSizeLimit.defaultMaxBytes(), listeners);
  }

  /**
   * As {@link #open(Path, RulesListener...)}, with another limit than that of {@link
   * RulesSizeLimit}.
   *
   * @param maxBytes a larger file is rejected before it is read
   */
  public static FileRules open(Path file, long maxBytes, RulesListener... listeners) {
    return new FileRules(file, Clock.system(), maxBytes, List.of(listeners));
  }

  /** Returns the file of the rules. */
  public Path file() {
    return file;
  }

  @Override
  public RuleSet current() {
    return current;
  }

  /**
   * Returns for how long the file has differed from the rules in force, or has not been checked;
   * zero while the rules are up to date.
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

  /** Checks the file, and reloads it if it has changed. */
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
          clock.micros(); // reporting may run out of memory, too; then the next check retries
      reject(
          "%s: reading failed with %s, maximum heap %d MiB; retried in a minute or when the file changes"
              .formatted(file, e, Runtime.getRuntime().maxMemory() >> 20));
      retryAtMicros = clock.micros() + RETRY_INTERVAL_MICROS;
    }
  }

  private void markDiffering() {
    differsSinceMicros = differsSinceMicros == NOT_DIFFERING ? clock.micros() : differsSinceMicros;
  }

  private void reject(String reason) {
    LOG.log(Level.WARNING, "rejected, the last good rules stay in force:\n{0}", reason);
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
      RuleSet applied = current;
      LOG.log(Level.INFO, "{0}: {1} rules, revision {2}", file, rules.size(), applied.revision());
      notifyListeners(listener -> listener.changed(applied));
    } else {
      markUpToDate();
    }
  }

  /** Logs that the file is valid again, also if the rules are the same as before the bad edit. */
  private void markUpToDate() {
    if (differsSinceMicros != NOT_DIFFERING) {
      differsSinceMicros = NOT_DIFFERING;
      LOG.log(Level.INFO, "{0}: valid again, revision {1} is in force", file, current.revision());
    }
  }

  /** Returns the rule in force if it is equal, so that its limits stay the same objects. */
  private Rule reuseIfEqual(Rule rule) {
    Rule old = current.rule(rule.id());
    return old != null && old.equals(rule) ? old : rule;
  }

  private void notifyListeners(Consumer<RulesListener> call) {
    for (RulesListener listener : listeners) {
      try {
        call.accept(listener);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a listener of " + file + " failed", e);
      }
    }
  }

  /** Stops watching the file; the rules in force stay. */
  @Override
  public void close() {
    watcher.close();
  }
}
