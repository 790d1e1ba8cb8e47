package io.weir.admin.dashboard;

import io.vertx.core.json.JsonObject;
import io.weir.internal.JsonText;
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
 * A browser tab, used like a person does: elements are found by their visible text, clicked with
 * the mouse, and filled with the keyboard.
 */
final class BrowserTab {
  static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration POSITION_POLL_INTERVAL = Duration.ofMillis(60);

  /**
   * JavaScript function that finds an element by its text: a button, a link, or a field by its
   * label.
   */
  private static final String FIND_FUNCTION =
      """
      (text, kinds) => [...document.querySelectorAll(kinds)].filter(e => e.checkVisibility() && !e.disabled).find(e => {
        const label = (e.getAttribute('aria-label') ?? e.labels?.[0]?.firstChild?.textContent ?? e.innerText ?? '').trim();
        return label === text;
      })""";

  private static final Map<String, Integer> KEYS =
      Map.of("Tab", 9, "Enter", 13, "Escape", 27, "End", 35, "Home", 36);

  private final ChromiumBrowser browser;
  private final String session;
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final AtomicLong bytes = new AtomicLong();
  private int width;
  private int height;
  private boolean mobile;
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

  /** Collects script errors and violations of the content security policy. */
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
        boolean network =
            entry.getString("source").equals("network"); // the page shows these itself
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

  /** Returns the transferred bytes of all completed responses. */
  long bytes() {
    return bytes.get();
  }

  BrowserTab setViewport(int newWidth, int newHeight, boolean isMobile) {
    width = newWidth;
    height = newHeight;
    mobile = isMobile;
    send(
        "Emulation.setDeviceMetricsOverride",
        new JsonObject()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", mobile ? 2 : 1)
            .put("mobile", mobile));
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

  /** Evaluates a JavaScript expression in the page; null becomes an empty string. */
  Object evaluate(String expression) {
    JsonObject response =
        send(
            "Runtime.evaluate",
            new JsonObject()
                .put("expression", expression)
                .put("awaitPromise", true)
                .put("returnByValue", true));
    if (response.containsKey("exceptionDetails")) {
      throw new AssertionError(response.getJsonObject("exceptionDetails").encodePrettily());
    }
    Object value = response.getJsonObject("result").getValue("value");
    return value == null ? "" : value;
  }

  String text() {
    return evaluate("document.body.innerText").toString();
  }

  /** Waits until a JavaScript expression is true. */
  Duration waitUntil(String description, String expression) {
    try {
      return Await.until(
          TIMEOUT, description, () -> Boolean.TRUE.equals(evaluate("Boolean(" + expression + ")")));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; the page text is\n" + text() + "\n" + errors, e);
    }
  }

  /**
   * As {@link #waitUntil(String, String)}, with an action before each evaluation that must return
   * true.
   */
  Duration waitUntil(String description, BooleanSupplier action, String expression) {
    return Await.until(
        TIMEOUT,
        description,
        () ->
            action.getAsBoolean() && Boolean.TRUE.equals(evaluate("Boolean(" + expression + ")")));
  }

  /** Waits until the page contains a text. */
  Duration waitForText(String text) {
    return waitUntil(
        "'" + text + "' on the page", "document.body.innerText.includes(" + jsString(text) + ")");
  }

  /** Waits for an element with this text and clicks the middle of its first line. */
  BrowserTab click(String text) {
    return press(text).release();
  }

  /** As {@link #click}, but keeps the mouse button pressed. */
  BrowserTab press(String text) {
    return press(text, "button, a, summary, [role=switch], label.check");
  }

  BrowserTab release() {
    return mouse("mouseReleased");
  }

  /** Types into the field with this label, replacing its content. */
  BrowserTab type(String label, String text) {
    press(label, "input, textarea, select").release();
    evaluate("document.activeElement.select?.()");
    send("Input.insertText", new JsonObject().put("text", text));
    return this;
  }

  /** Presses and releases a key. */
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

  private BrowserTab press(String text, String selector) {
    String findExpression =
        "(" + FIND_FUNCTION + ")(" + jsString(text) + "," + jsString(selector) + ")";
    waitUntil("'" + text + "' is on the page", findExpression);
    String current = position(findExpression);
    // wait until the element does not move any more
    for (String previous = ""; !current.equals(previous); current = position(findExpression)) {
      previous = current;
      Await.sleep(POSITION_POLL_INTERVAL);
    }
    x = Double.parseDouble(current.split(" ", -1)[0]);
    y = Double.parseDouble(current.split(" ", -1)[1]);
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

  private String position(String findExpression) {
    return evaluate(
            "(e => { e.scrollIntoView({block: 'center', inline: 'center'});"
                + " const r = e.getClientRects()[0];" // the first line
                + " return (r.x + r.width / 2) + ' ' + (r.y + r.height / 2); })("
                + findExpression
                + ")")
        .toString();
  }

  static String jsString(String text) {
    return JsonText.quote(new StringBuilder(), text).toString();
  }

  /** Saves a screenshot of the visible part, for manual inspection. */
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

  /** Saves a screenshot of the whole page. */
  BrowserTab screenshotOfWholePage(Path file) {
    JsonObject size =
        send("Page.getLayoutMetrics", new JsonObject()).getJsonObject("cssContentSize");
    int visibleHeight = height;
    setViewport(width, Math.max(height, size.getInteger("height")), mobile);
    evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    return screenshot(file).setViewport(width, visibleHeight, mobile);
  }
}
