package io.weir.admin.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import io.weir.testkit.Await;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless Chromium, controlled by the DevTools protocol. */
final class ChromiumBrowser implements AutoCloseable, WebSocket.Listener {
  static final String NOT_FOUND_MESSAGE =
      "chromium was not found; run apt-get install chromium, or set WEIR_CHROMIUM=/path/to/chromium";

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "chrome");
  private static final Pattern LISTENING = Pattern.compile("DevTools listening on (ws://\\S+)");
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Process process;
  private final Path profile;
  private final WebSocket socket;
  private final AtomicInteger lastCommandId = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonObject>> pendingCommands =
      new ConcurrentHashMap<>();
  private final Map<String, Consumer<JsonObject>> eventHandlers = new ConcurrentHashMap<>();
  private final StringBuilder messageBuffer = new StringBuilder();

  private ChromiumBrowser(Process process, Path profile, URI uri) {
    this.process = process;
    this.profile = profile;
    socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(uri, this).join();
  }

  /** Finds the binary: {@code WEIR_CHROMIUM}, or the first one on the PATH. */
  static Optional<Path> find() {
    String configured = System.getenv("WEIR_CHROMIUM");
    if (configured != null && !configured.isBlank()) {
      return Optional.of(Path.of(configured)).filter(Files::isExecutable);
    }
    String path = System.getenv().getOrDefault("PATH", "");
    return NAMES.stream()
        .flatMap(name -> Stream.of(path.split(File.pathSeparator, -1)).map(f -> Path.of(f, name)))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  static ChromiumBrowser start(Path binary) throws IOException {
    Path profile = Files.createTempDirectory("weir-chromium");
    List<String> command =
        new ArrayList<>(
            List.of(
                binary.toString(),
                "--headless=new",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--force-color-profile=srgb",
                "--hide-scrollbars"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--no-sandbox"); // the sandbox does not work as root
    }
    command.add("about:blank");
    Process process =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    return new ChromiumBrowser(process, profile, readDebuggerUri(process));
  }

  private static URI readDebuggerUri(Process process) throws IOException {
    BufferedReader stderr = process.errorReader(UTF_8);
    StringBuilder output = new StringBuilder();
    for (String line = stderr.readLine(); line != null; line = stderr.readLine()) {
      output.append(line).append('\n');
      Matcher found = LISTENING.matcher(line);
      if (found.find()) {
        Thread drain = new Thread(() -> stderr.lines().forEach(any -> {}), "chromium-stderr");
        drain.setDaemon(true);
        drain.start();
        return URI.create(found.group(1));
      }
    }
    throw new IOException("chromium did not start:\n" + output);
  }

  /** Opens a tab in a new browser context. */
  BrowserTab openTab() {
    String context =
        send("", "Target.createBrowserContext", new JsonObject()).getString("browserContextId");
    String target =
        send(
                "",
                "Target.createTarget",
                new JsonObject().put("url", "about:blank").put("browserContextId", context))
            .getString("targetId");
    String session =
        send(
                "",
                "Target.attachToTarget",
                new JsonObject().put("targetId", target).put("flatten", true))
            .getString("sessionId");
    BrowserTab tab = new BrowserTab(this, session);
    eventHandlers.put(session, tab::onEvent);
    tab.initialize();
    return tab;
  }

  /** Sends a command and returns its result; fails if the browser reports an error. */
  JsonObject send(String session, String method, JsonObject params) {
    int id = lastCommandId.incrementAndGet();
    CompletableFuture<JsonObject> answer = new CompletableFuture<>();
    pendingCommands.put(id, answer);
    JsonObject message = new JsonObject().put("id", id).put("method", method).put("params", params);
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    synchronized (socket) {
      socket.sendText(message.encode(), true).join();
    }
    try {
      JsonObject response = answer.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      if (response.containsKey("error")) {
        throw new AssertionError(method + ": " + response.getJsonObject("error"));
      }
      return response.getJsonObject("result");
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(method + " got no response", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    messageBuffer.append(data);
    if (last) {
      JsonObject message = new JsonObject(messageBuffer.toString());
      messageBuffer.setLength(0);
      Integer id = message.getInteger("id");
      if (id != null) {
        pendingCommands.remove(id).complete(message);
      } else if (message.containsKey("sessionId")) {
        eventHandlers.getOrDefault(message.getString("sessionId"), any -> {}).accept(message);
      }
    }
    from.request(1);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {
    send("", "Browser.close", new JsonObject());
    socket.abort();
    process
        .onExit()
        .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
        .exceptionally(e -> process.destroyForcibly())
        .join();
    // child processes may still write for a moment
    Await.until(TIMEOUT, "the profile is deleted", this::deleteProfile);
  }

  private boolean deleteProfile() {
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return !Files.exists(profile);
    }
  }
}
