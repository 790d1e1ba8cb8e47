-- Asks Weir about the request that is held, and leaves its word in variables of the transaction:
-- weir is allowed, refused, unauthorized, unreadable or away; the rest are the fields for the caller.

local FIELDS = {
  ["x-ratelimit-limit"] = "txn.weir_limit",
  ["x-ratelimit-remaining"] = "txn.weir_remaining",
  ["x-ratelimit-reset"] = "txn.weir_reset",
  ["ratelimit-policy"] = "txn.weir_policy",
  ["ratelimit"] = "txn.weir_ratelimit",
  ["retry-after"] = "txn.weir_retry",
  ["www-authenticate"] = "txn.weir_challenge",
}

-- What speaks of the body or of the connection, and what only we may say.
local OURS = {
  ["content-length"] = true, ["transfer-encoding"] = true, ["connection"] = true, ["expect"] = true,
  ["upgrade"] = true, ["te"] = true, ["trailer"] = true, ["keep-alive"] = true,
  ["x-original-method"] = true, ["x-original-uri"] = true, ["x-forwarded-for"] = true, ["forwarded"] = true,
  ["x-forwarded-method"] = true, ["x-forwarded-uri"] = true,
}

-- HAProxy's Lua client crashes the process (2.6) when it sends about as many lines as tune.http.maxhdr (101) allows.
local MAX_LINES = 90

local WAIT_MS = 60000 -- not what is waited for: the section weir of weir.cfg answers long before

local function first(headers, name)
  local values = headers and headers[name]
  return values and values[0]
end

-- The header fields of the question, or nil if the request has too many.
local function question(txn)
  local headers = {}
  local lines = 0
  for name, values in pairs(txn.http:req_get_headers()) do
    if not OURS[name] then
      headers[name] = {}
      for i = 0, #values do
        table.insert(headers[name], values[i])
        lines = lines + 1
      end
    end
  end
  if lines > MAX_LINES then
    return nil
  end
  headers["x-original-method"] = { txn.sf:method() }
  headers["x-original-uri"] = { txn.sf:pathq() }
  headers["x-forwarded-for"] = { tostring(txn.sf:src()) }
  return headers
end

local function word(txn, answer)
  local status = answer and answer.status
  if status == 200 then
    return "allowed"
  elseif status == 401 then
    return "unauthorized"
  elseif not status or status == 0 or status >= 500 then
    return "away" -- no answer, or one of the section weir of weir.cfg
  end
  -- Any other status is an answer to something Weir does not take, such as 400 or 431: never let it pass.
  local rule = status == 403 and first(answer.headers, "x-weir-rule")
  if not rule then
    return "unreadable"
  end
  local wait = first(answer.headers, "retry-after")
  local rest = wait and (',"retry_after_seconds":' .. wait) or ""
  txn:set_var("txn.weir_body", '{"error":"rate_limited","rule":"' .. rule .. '"' .. rest .. "}")
  return "refused"
end

core.register_action("weir", { "http-req" }, function(txn, door)
  local headers = question(txn)
  if not headers then
    txn:set_var("txn.weir", "unreadable")
    return
  end
  local answer = core.httpclient():get({
    url = "http://weir/v1/auth", dst = door, headers = headers, timeout = WAIT_MS,
  })
  for field, variable in pairs(FIELDS) do
    local value = first(answer and answer.headers, field)
    if value then
      txn:set_var(variable, value)
    end
  end
  txn:set_var("txn.weir", word(txn, answer))
end, 1)
