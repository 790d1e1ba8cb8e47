-- A shelf is a hash of pages. One call decides a batch of requests, another forgets what has become fresh.
local call, try = redis.call, redis.pcall
local MARGIN, LONG = 60000, 400 * 86400000 -- milliseconds
-- A field too long for Redis's small encoding of hashes, which would search them one by one.
local PAD = string.rep('-', 65)
local modes = {[0] = 'take', 'peek', 'force', 'refund'}
local limits_known, limits_count = {}, 0
local states, claims = {}, {}

-- The limit that some bytes describe, remembered from call to call where the server lets us.
local function limit_of(bytes)
  local limit = limits_known[bytes]
  if not limit then
    local length = byte(bytes, 1)
    local shadow, permits, period, burst, cool_down, unit, p, q, slices = unp('<BI7I7I7I7I7I7I7I7', bytes, length + 2)
    limit = {algorithm = algorithms[sub(bytes, 2, length + 1)], shadow = shadow == 1,
      terms = {permits = permits, period = period, burst = burst, cool_down = cool_down,
               unit = unit, p = p, q = q, slices = slices}}
    if limits_count >= 1000 then limits_known, limits_count = {}, 0 end
    limits_known[bytes], limits_count = limit, limits_count + 1
  end
  return limit
end

local function read_limits(bytes)
  local limits, at = {}, 1
  while at <= #bytes do
    local past = at + byte(bytes, at) + 58
    limits[#limits + 1] = limit_of(sub(bytes, at, past - 1))
    at = past
  end
  return limits
end

-- Judges every request in turn; requests are
--   claims (2)  mode (1)  count (2)  [when (7) if refund]  and per claim  counter (2)  limit (2)  cost (1, or 0 and 7)
local function judge(requests, limits, now)
  local at, last = 1, #requests
  while at <= last do
    local size, mode, count, next = unp('<I2BI2', requests, at)
    local when = now
    if mode == 3 then when, next = unp('<I7', requests, next) end
    for i = 1, size do
      local counter, limit, cost
      counter, limit, cost, next = unp('<I2I2B', requests, next)
      if cost == 0 then cost, next = unp('<I7', requests, next) end
      local c, s = claims[i], states[counter]
      if not c then c = {}; claims[i] = c end
      limit = limits[limit]
      s.limit = limit
      c.limit, c.state, c.cost = limit, s, cost
    end
    decide(claims, size, count, modes[mode], now, min(when, now))
    at = next
  end
end

-- args: head, limits, requests, keys (8 bytes each). Answers with the head's number, the time, how many states were
-- corrupt, and what every counter's state was before: all that a node needs to tell the callers.
local function decide_all(shelf, args)
  local number, now, cut = unp('<I4I7B', args[1])
  if now == 0 then
    local t = call('TIME')
    now = t[1] * 1000000 + t[2]
  end
  local keys = args[4]
  local count, corrupt = #keys / 8, 0
  local names, page_of, index = {}, {}, {}
  for i = 1, count do
    local name = sub(keys, 8 * i - 7, 8 * i - 8 + cut)
    local page = cut < 8 and index[name]
    if not page then
      page = #names + 1
      names[page], index[name] = name, page
    end
    page_of[i] = page
  end
  local pages = try('HMGET', shelf, unpack(names))
  if pages.err then
    if not find(pages.err, 'WRONGTYPE', 1, true) then return pages end
    call('UNLINK', shelf)
    pages, corrupt = {}, 1
  end

  local before = {}
  for i = 1, count do
    local page, s, bytes = pages[page_of[i]], states[i], nil
    if not s then s = {entries = {}}; states[i] = s end
    if page then
      if cut == 8 then
        bytes = page
      else
        local from, to = locate(page, sub(keys, 8 * i - 7 + cut, 8 * i))
        bytes = from and sub(page, from, to)
      end
      if bytes and not unpack_state(bytes, s) then bytes, corrupt = nil, corrupt + 1 end
    end
    if not bytes then bytes = '\0'; fresh(s) end
    before[i] = bytes
  end

  judge(args[3], read_limits(args[2]), now)

  local dirty, longest = {}, 0
  for i = 1, count do
    local s = states[i]
    if s.changed then
      local a, t = s.limit.algorithm, s.limit.terms
      local wait = a.wait(t, s, now, a.most(t))
      if wait > longest then longest = wait end
      local page, lost = page_of[i], nil
      pages[page], lost = put(pages[page] or '', sub(keys, 8 * i - 7 + cut, 8 * i), pack_state(s, now + wait), now)
      if lost then corrupt = corrupt + 1 end
      dirty[page] = true
    end
  end
  local lives = call('PTTL', shelf)
  if next(dirty) then
    local writes, n = {}, 0
    for page in pairs(dirty) do
      writes[n + 1], writes[n + 2] = names[page], pages[page]
      n = n + 2
    end
    if lives == -2 then writes[n + 1], writes[n + 2] = PAD, '' end
    call('HSET', shelf, unpack(writes))
  end
  longest = ceildiv(longest, 1000)
  if lives == -1 then
    call('PEXPIRE', shelf, LONG) -- somebody took its expiry away: what else is on it is not known
  elseif lives < longest then
    call('PEXPIRE', shelf, longest + MARGIN)
  end
  return pack('<I4I7B', number, now, min(corrupt, 255)) .. table.concat(before)
end

-- args: head, cursor, how many fields. Answers with the head's number, how many were seen and forgotten, the cursor.
local function sweep(shelf, args)
  local number, now, cut = unp('<I4I7B', args[1])
  if now == 0 then now = call('TIME')[1] * 1000000 end
  local found = try('HSCAN', shelf, args[2], 'COUNT', args[3])
  if found.err then return pack('<I4I4I4', number, 0, 0) .. '0' end
  local fields, dead = found[2], {}
  for i = 1, #fields, 2 do
    if fields[i] ~= PAD then
      local _, any = tidy(fields[i + 1], 8 - cut, now)
      if not any then dead[#dead + 1] = fields[i] end
    end
  end
  if dead[1] then
    call('HDEL', shelf, unpack(dead))
    if call('HLEN', shelf) == 1 then call('UNLINK', shelf) end
  end
  return pack('<I4I4I4', number, #fields / 2, #dead) .. found[1]
end

return function(keys, args)
  if #args == 4 then return decide_all(keys[1], args) end
  return sweep(keys[1], args)
end
