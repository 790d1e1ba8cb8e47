// Client of the admin API. The token is kept in session storage (this tab only) and sent as a header, never in a URL.
const TOKEN_KEY = "weir-token";
const USER_KEY = "weir-who";

export const session = {
  get token() { return sessionStorage.getItem(TOKEN_KEY); },
  get user() { return sessionStorage.getItem(USER_KEY) ?? ""; },
  begin(token, user) {
    sessionStorage.setItem(TOKEN_KEY, token);
    sessionStorage.setItem(USER_KEY, user);
  },
  end() {
    sessionStorage.removeItem(TOKEN_KEY);
    document.dispatchEvent(new CustomEvent("signed-out"));
  },
};

/** An error response of the API with its message; status 0 if the node is unreachable. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message ?? (status === 0 ? "this node is unreachable" : `the node responded with ${status}`));
    this.status = status;
    this.body = body ?? {};
  }
}

function headers(extra) {
  const result = { Authorization: `Bearer ${session.token}`, ...extra };
  if (session.user) result["X-Weir-User"] = session.user;
  return result;
}

/** Checks the token and starts a session if it is valid. */
export async function signIn(token, user) {
  const response = await fetch("/admin/rules?count=0", { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" }).catch(() => { throw new ApiError(0); });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined));
  session.begin(token, user);
}

/** Sends a request; returns the JSON or text content, the ETag as `tag`, and the status. */
export async function request(method, path, { body, type = "application/json", accept, match, signal } = {}) {
  const extra = {};
  if (body !== undefined) extra["Content-Type"] = type;
  if (accept) extra.Accept = accept;
  if (match !== undefined) extra[match === "new" ? "If-None-Match" : "If-Match"] = match === "new" ? "*" : match;
  let response;
  try {
    response = await fetch(path, { method, headers: headers(extra), body, signal, cache: "no-store" });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new ApiError(0);
  }
  const json = response.headers.get("Content-Type")?.startsWith("application/json");
  const content = json ? await response.json().catch(() => ({})) : await response.text();
  if (response.status === 401) session.end();
  if (!response.ok) throw new ApiError(response.status, json ? content : undefined);
  return { content, tag: response.headers.get("ETag"), status: response.status };
}
export const get = async (path, options) => (await request("GET", path, options)).content;

/** Receives events until the signal aborts: calls `onEvent(type, data)` for each event and `onState(connected)` on changes. */
export async function subscribeToEvents(onEvent, onState, signal) {
  for (let delay = 500; !signal.aborted; delay = Math.min(8000, delay * 2)) {
    try {
      const response = await fetch("/admin/events", { headers: headers({ Accept: "text/event-stream" }), signal, cache: "no-store" });
      if (response.status === 401) return session.end();
      if (response.ok) {
        onState(true);
        delay = 500;
        await readEvents(response.body.pipeThrough(new TextDecoderStream()).getReader(), onEvent);
      }
    } catch (e) {
      if (signal.aborted) return;
    }
    onState(false);
    await new Promise(r => setTimeout(r, delay));
  }
}

async function readEvents(reader, onEvent) {
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (buffer + value).split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      let type = "";
      let data = "";
      for (const line of block.split("\n")) {
        if (line.startsWith("event: ")) type = line.slice(7);
        else if (line.startsWith("data: ")) data += line.slice(6);
      }
      if (type) onEvent(type, JSON.parse(data));
    }
  }
}
