-- Requests a decision from Weir for the current request and stores it in transaction variables: txn.weir is
-- allowed, refused, unauthorized, unreadable or away; the other variables are response headers for the caller.

local RESPONSE_HEADERS = {
  ["x-ratelimit-limit"] = "txn.weir_limit",
  ["x-ratelimit-remaining"] = "txn.weir_remaining",
  ["x-ratelimit-reset"] = "txn.weir_reset",
  ["ratelimit-policy"] = "txn.weir_policy",
  ["ratelimit"] = "txn.weir_ratelimit",
  ["retry-after"] = "txn.weir_retry",
  ["www-authenticate"] = "txn.weir_challenge",
}

-- Request headers that are not copied: those about the body or the connection, and those that only this proxy may set.
local EXCLUDED_HEADERS = {
  ["content-length"] = true, ["transfer-encoding"] = true, ["connection"] = true, ["expect"] = true,
  ["upgrade"] = true, ["te"] = true, ["trailer"] = true, ["keep-alive"] = true,
  ["x-original-method"] = true, ["x-original-uri"] = true, ["x-forwarded-for"] = true, ["forwarded"] = true,
  ["x-forwarded-method"] = true, ["x-forwarded-uri"] = true,
}

-- The Lua HTTP client of HAProxy 2.6 crashes the process when it sends nearly as many headers as tune.http.maxhdr (101) allows.
local MAX_HEADERS = 90

local TIMEOUT_MS = 60000 -- never reached, since the section weir of weir.cfg has shorter timeouts

local function first(headers, name)
  local values = headers and headers[name]
  return values and values[0]
end

-- Returns the headers of the request to Weir, or nil if the caller's request has too many.
local function auth_headers(txn)
  local headers = {}
  local count = 0
  for name, values in pairs(txn.http:req_get_headers()) do
    if not EXCLUDED_HEADERS[name] then
      headers[name] = {}
      for i = 0, #values do
        table.insert(headers[name], values[i])
        count = count + 1
      end
    end
  end
  if count > MAX_HEADERS then
    return nil
  end
  headers["x-original-method"] = { txn.sf:method() }
  headers["x-original-uri"] = { txn.sf:pathq() }
  headers["x-forwarded-for"] = { tostring(txn.sf:src()) }
  return headers
end

-- Returns the value of txn.weir for a response of Weir.
local function result(txn, response)
  local status = response and response.status
  if status == 200 then
    return "allowed"
  elseif status == 401 then
    return "unauthorized"
  elseif not status or status == 0 or status >= 500 then
    return "away" -- no response, or an error response of the section weir of weir.cfg
  end
  -- Any other status means that Weir rejected the request as invalid, such as 400 or 431; such a request must not pass.
  local rule = status == 403 and first(response.headers, "x-weir-rule")
  if not rule then
    return "unreadable"
  end
  local wait = first(response.headers, "retry-after")
  local rest = wait and (',"retry_after_seconds":' .. wait) or ""
  local reason = first(response.headers, "x-weir-error") or "rate_limited"
  txn:set_var("txn.weir_error", reason)
  txn:set_var("txn.weir_body", '{"error":"' .. reason .. '","rule":"' .. rule .. '"' .. rest .. "}")
  return "refused"
end

core.register_action("weir", { "http-req" }, function(txn, address)
  local headers = auth_headers(txn)
  if not headers then
    txn:set_var("txn.weir", "unreadable")
    return
  end
  local response = core.httpclient():get({
    url = "http://weir/v1/auth", dst = address, headers = headers, timeout = TIMEOUT_MS,
  })
  for field, variable in pairs(RESPONSE_HEADERS) do
    local value = first(response and response.headers, field)
    if value then
      txn:set_var(variable, value)
    end
  end
  txn:set_var("txn.weir", result(txn, response))
end, 1)
