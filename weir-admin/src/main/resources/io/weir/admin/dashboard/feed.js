// The traffic of the last five minutes: loaded once, then updated by an event every second.
import { get, subscribeToEvents } from "./api.js";

export const SPAN = 300;
const MAX_REFUSALS = 60;

export const feed = new (class extends EventTarget {
  live = false;
  node = "";
  revision = 0;
  seconds = []; // [time, allowed, refused, shadow]
  rules = new Map(); // id → [time, allowed, refused, shadow][]
  store = []; // [time, answers, median µs, p99 µs]
  refusals = []; // newest first
  createdRule = null; // the rule last created from the Live page, highlighted there
  health = { available: true, stale: 0, degraded: 0, reason: "" };
  #abort;

  start() {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    subscribeToEvents((type, data) => this.#onEvent(type, data), live => this.#setLive(live), signal);
    const loadHealth = () => this.#loadHealth().catch(() => {});
    loadHealth();
    const timer = setInterval(loadHealth, 5000);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  stop() { this.#abort?.abort(); }

  notify(type) { this.dispatchEvent(new Event(type)); }

  async #setLive(live) {
    if (live) await this.#loadHistory().catch(() => {});
    this.live = live;
    this.notify("state");
  }

  async #loadHistory() {
    const history = await get("/admin/traffic?step=second");
    this.seconds = history.points;
    this.store = history.store;
    this.rules = new Map(Object.entries(history.rules));
    this.notify("tick");
  }

  async #loadHealth() {
    const health = await get("/health");
    this.node = health.node;
    this.revision = health.rules.revision;
    Object.assign(this.health, { available: health.store.available, stale: health.rules.stale_ms });
    this.notify("state");
  }

  #onEvent(type, data) {
    if (type === "tick") this.#onTick(data);
    else if (type === "refused") {
      this.refusals.unshift(data);
      this.refusals.length = Math.min(this.refusals.length, MAX_REFUSALS);
      this.notify("refusals");
    } else if (type === "rules") {
      this.revision = data.revision;
      this.notify("rules");
    } else if (type === "hello") {
      this.node = data.node;
      this.revision = data.revision;
      this.notify("state");
    } else if (type === "store_lost" || type === "store_found") {
      this.health.available = type === "store_found";
      this.health.reason = data.reason ?? "";
      this.notify("state");
    }
  }

  #onTick(data) {
    const oldest = data.second - SPAN;
    const trim = list => { while (list.length && list[0][0] <= oldest) list.shift(); };
    this.seconds.push(data.requests);
    this.store.push(data.store);
    trim(this.seconds);
    trim(this.store);
    for (const [id, point] of Object.entries(data.rules)) {
      if (!this.rules.has(id)) this.rules.set(id, []);
      this.rules.get(id).push(point);
    }
    for (const [id, points] of this.rules) {
      trim(points);
      if (!points.length) this.rules.delete(id);
    }
    this.health.degraded = data.degraded > 0 ? Date.now() : this.health.degraded;
    this.notify("tick");
  }

  /** The current time in seconds, by the node's clock. */
  get now() { return this.seconds.at(-1)?.[0] ?? Math.floor(Date.now() / 1000); }

  /** Sums points over the last seconds. */
  sum(points, seconds = SPAN) {
    const oldest = this.now - seconds;
    const sums = [0, 0, 0];
    for (let i = points.length - 1; i >= 0 && points[i][0] > oldest; i--) for (let k = 0; k < 3; k++) sums[k] += points[i][k + 1];
    return { allowed: sums[0], refused: sums[1], shadow: sums[2], total: sums[0] + sums[1] + sums[2] };
  }
})();
