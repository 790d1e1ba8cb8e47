// What the whole page knows of the last five minutes: asked once, then told second by second.
import { get, listen } from "./api.js";

export const SPAN = 300;
const MOST_NEWS = 60;

export const feed = new (class extends EventTarget {
  live = false;
  node = "";
  revision = 0;
  seconds = []; // [time, allowed, refused, shadow]
  rules = new Map(); // id → [time, allowed, refused, shadow][]
  store = []; // [time, answers, median µs, p99 µs]
  news = []; // refusals, the newest first
  made = null; // the rule that was made from Live last, to be watched
  health = { available: true, stale: 0, degraded: 0, reason: "" };
  #ending;

  start() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    listen((type, data) => this.#heard(type, data), live => this.#state(live), signal);
    const look = () => this.#look().catch(() => {});
    look();
    const timer = setInterval(look, 5000);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  stop() { this.#ending?.abort(); }

  tell(what) { this.dispatchEvent(new Event(what)); }

  async #state(live) {
    if (live) await this.#past().catch(() => {});
    this.live = live;
    this.tell("state");
  }

  async #past() {
    const past = await get("/admin/traffic?step=second");
    this.seconds = past.points;
    this.store = past.store;
    this.rules = new Map(Object.entries(past.rules));
    this.tell("tick");
  }

  async #look() {
    const said = await get("/health");
    this.node = said.node;
    this.revision = said.rules.revision;
    Object.assign(this.health, { available: said.store.available, stale: said.rules.stale_ms });
    this.tell("state");
  }

  #heard(type, data) {
    if (type === "tick") this.#tick(data);
    else if (type === "refused") {
      this.news.unshift(data);
      this.news.length = Math.min(this.news.length, MOST_NEWS);
      this.tell("news");
    } else if (type === "rules") {
      this.revision = data.revision;
      this.tell("rules");
    } else if (type === "hello") {
      this.node = data.node;
      this.revision = data.revision;
      this.tell("state");
    } else if (type === "store_lost" || type === "store_found") {
      this.health.available = type === "store_found";
      this.health.reason = data.reason ?? "";
      this.tell("state");
    }
  }

  #tick(data) {
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
    this.tell("tick");
  }

  /** The second it is, by the node's clock. */
  get now() { return this.seconds.at(-1)?.[0] ?? Math.floor(Date.now() / 1000); }

  /** What a list of points adds up to over the last seconds. */
  sum(points, seconds = SPAN) {
    const oldest = this.now - seconds;
    const sum = [0, 0, 0];
    for (let i = points.length - 1; i >= 0 && points[i][0] > oldest; i--) for (let k = 0; k < 3; k++) sum[k] += points[i][k + 1];
    return { allowed: sum[0], refused: sum[1], shadow: sum[2], total: sum[0] + sum[1] + sum[2] };
  }
})();
