package io.weir.server.dashboard;

import io.vertx.core.json.JsonObject;
import io.weir.http.JsonText;
import io.weir.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * A tab of the browser, used as a person uses one: it looks for what is written on things, points,
 * clicks and types.
 */
final class BrowserTab {
  static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration POSITION_POLL_INTERVAL = Duration.ofMillis(60);

  /** The element a text is on: a button, a link, a tab, or a field by its label. */
  private static final String FIND_FUNCTION =
      """
      (text, kinds) => [...document.querySelectorAll(kinds)].filter(e => e.checkVisibility() && !e.disabled).find(e => {
        const said = (e.getAttribute('aria-label') ?? e.labels?.[0]?.firstChild?.textContent ?? e.innerText ?? '').trim();
        return said === text;
      })""";

  private static final Map<String, Integer> KEYS =
      Map.of("Tab", 9, "Enter", 13, "Escape", 27, "End", 35, "Home", 36);

  private final ChromiumBrowser browser;
  private final String session;
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final AtomicLong bytes = new AtomicLong();
  private double x;
  private double y;

  BrowserTab(ChromiumBrowser browser, String session) {
    this.browser = browser;
    this.session = session;
  }

  void initialize() {
    for (String domain : List.of("Page", "Runtime", "Network", "Log", "Audits")) {
      send(domain + ".enable", new JsonObject());
    }
    setViewport(1280, 900, false);
  }

  JsonObject send(String method, JsonObject params) {
    return browser.send(session, method, params);
  }

  /** Notes what a browser complains of: errors of scripts, and what the page's policy forbids. */
  void onEvent(JsonObject event) {
    JsonObject params = event.getJsonObject("params");
    switch (event.getString("method")) {
      case "Network.loadingFinished" ->
          bytes.addAndGet(params.getDouble("encodedDataLength").longValue());
      case "Runtime.exceptionThrown" ->
          errors.add(params.getJsonObject("exceptionDetails").encode());
      case "Audits.issueAdded" -> errors.add(params.getJsonObject("issue").encode());
      case "Log.entryAdded" -> {
        JsonObject entry = params.getJsonObject("entry");
        boolean network = entry.getString("source").equals("network"); // the page tells of these
        if (!network && List.of("error", "warning").contains(entry.getString("level"))) {
          errors.add(entry.encode());
        }
      }
      default -> {}
    }
  }

  List<String> errors() {
    return errors;
  }

  /** What came over the wire so far, of answers that have ended. */
  long bytes() {
    return bytes.get();
  }

  BrowserTab setViewport(int width, int height, boolean phone) {
    send(
        "Emulation.setDeviceMetricsOverride",
        new JsonObject()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", phone ? 2 : 1)
            .put("mobile", phone));
    return this;
  }

  BrowserTab setColorScheme(String name) {
    send(
        "Emulation.setEmulatedMedia",
        new JsonObject()
            .put(
                "features",
                List.of(new JsonObject().put("name", "prefers-color-scheme").put("value", name))));
    return this;
  }

  BrowserTab open(String url) {
    send("Page.navigate", new JsonObject().put("url", url));
    return this;
  }

  /** What an expression is, in the page. */
  Object evaluate(String expression) {
    JsonObject said =
        send(
            "Runtime.evaluate",
            new JsonObject()
                .put("expression", expression)
                .put("awaitPromise", true)
                .put("returnByValue", true));
    if (said.containsKey("exceptionDetails")) {
      throw new AssertionError(said.getJsonObject("exceptionDetails").encodePrettily());
    }
    Object value = said.getJsonObject("result").getValue("value");
    return value == null ? "" : value;
  }

  String text() {
    return evaluate("document.body.innerText").toString();
  }

  /** Waits until something is so. */
  Duration waitUntil(String what, String expression) {
    try {
      return Await.until(
          TIMEOUT, what, () -> Boolean.TRUE.equals(evaluate("Boolean(" + expression + ")")));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; the page says\n" + text() + "\n" + errors, e);
    }
  }

  /** As {@link #waitUntil(String, String)}, doing something each time before it looks. */
  Duration waitUntil(String what, BooleanSupplier doing, String expression) {
    return Await.until(
        TIMEOUT,
        what,
        () -> doing.getAsBoolean() && Boolean.TRUE.equals(evaluate("Boolean(" + expression + ")")));
  }

  /** Waits until a text is on the page. */
  Duration waitForText(String text) {
    return waitUntil(
        "'" + text + "' on the page", "document.body.innerText.includes(" + jsString(text) + ")");
  }

  /** Waits for something that says this, and clicks into the middle of its first line. */
  BrowserTab click(String text) {
    return press(text).release();
  }

  /** As {@link #click}, without letting go. */
  BrowserTab press(String text) {
    return press(text, "button, a, summary, [role=switch], label.check");
  }

  BrowserTab release() {
    return mouse("mouseReleased");
  }

  /** Types into the field of that name, over what is there. */
  BrowserTab type(String label, String text) {
    press(label, "input, textarea, select").release();
    evaluate("document.activeElement.select?.()");
    send("Input.insertText", new JsonObject().put("text", text));
    return this;
  }

  /** Presses a key and lets it go. */
  BrowserTab key(String key) {
    for (String type : List.of("keyDown", "keyUp")) {
      JsonObject params = new JsonObject().put("type", type).put("key", key).put("code", key);
      params.put("windowsVirtualKeyCode", KEYS.getOrDefault(key, 0));
      if (key.equals("Enter") && type.equals("keyDown")) {
        params.put("text", "\r");
      }
      send("Input.dispatchKeyEvent", params);
    }
    return this;
  }

  private BrowserTab press(String text, String kinds) {
    String found = "(" + FIND_FUNCTION + ")(" + jsString(text) + "," + jsString(kinds) + ")";
    waitUntil("'" + text + "' to point at", found);
    String place = position(found);
    // what is still moving is not to be hit
    for (String before = ""; !place.equals(before); place = position(found)) {
      before = place;
      Await.sleep(POSITION_POLL_INTERVAL);
    }
    x = Double.parseDouble(place.split(" ", -1)[0]);
    y = Double.parseDouble(place.split(" ", -1)[1]);
    return mouse("mouseMoved").mouse("mousePressed");
  }

  private BrowserTab mouse(String type) {
    send(
        "Input.dispatchMouseEvent",
        new JsonObject()
            .put("type", type)
            .put("x", x)
            .put("y", y)
            .put("button", type.equals("mouseMoved") ? "none" : "left")
            .put("clickCount", 1));
    return this;
  }

  private String position(String found) {
    return evaluate(
            "(e => { e.scrollIntoView({block: 'center', inline: 'center'});"
                + " const r = e.getClientRects()[0];" // of its first line
                + " return (r.x + r.width / 2) + ' ' + (r.y + r.height / 2); })("
                + found
                + ")")
        .toString();
  }

  static String jsString(String text) {
    return JsonText.quote(new StringBuilder(), text).toString();
  }

  /** Keeps a picture of what is seen, for people. */
  BrowserTab screenshot(Path file) {
    String data =
        send("Page.captureScreenshot", new JsonObject().put("format", "png")).getString("data");
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, Base64.getDecoder().decode(data));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
