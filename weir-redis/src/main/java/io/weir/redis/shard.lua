-- A shard is a hash. Its fields are named by a key: either by the whole key, and a field is one counter's state, which is
-- fastest; or by the first bits of the key, and a field is a packed bucket that counters share, which is smallest.
-- One call decides a batch of requests, another removes expired counters.
local call, try, rep = redis.call, redis.pcall, string.rep
local EXPIRY_MARGIN_MS, MAX_TTL_MS = 60000, 400 * 86400000
local NO_STATE = '\255' -- sent to the node for a counter without a state
-- The name of a field that is too long for Redis's small encoding of hashes, which is searched linearly; and that many times.
local PADDING, paddings = rep('-', 65), {}
local UNLIMITED = 2 ^ 53
local operations = {[0] = 'take', 'peek', 'force', 'refund', 'lease'}
-- The working data of a call, kept between calls where the server allows it, so that few objects are created: per counter its
-- field, the bytes of its state, and the decoded state if other requests may need it; for packed buckets also the key suffix
-- and the position. Changes are recorded as pairs of a label (the field, or with packed buckets the counter) and the new bytes.
local claims, names, raw, states, changes, numbers = {}, {}, {}, {}, {}, {}
local suffixes, bucket_of, from, to = {}, {}, {}, {}
local labels, change_count, longest_reset, corrupt = names, 0, 0, 0
-- The call of a node that holds slots of in-flight limits: the node, the call's number, its lease, and the slots by counter.
local holder, sequence, lease, announced

-- Caches what some bytes decode to, up to a number of entries.
local function remember(cache, bytes, value)
  if cache.size >= 1000 then cache.of, cache.size = {}, 0 end
  cache.of[bytes], cache.size = value, cache.size + 1
  return value
end
local limit_cache, limits_cache = {of = {}, size = 0}, {of = {}, size = 0}

-- A limit: the name of its algorithm (1 for the length, then the name), flags (1), its parameters (7 each). Flags: 1, a shadow;
-- 2, deferred; 4, it changes with time: then follow the number of stretches of time (1) and, per stretch, the time (7) until which it lasts,
-- the start (7, or UNLIMITED if there is no calendar) and the earliest start (7) of its calendar window, and the parameters.
local PARAMETERS, PARAMETERS_SIZE, STRETCH_SIZE = '>I7I7I7I7I7I7I7I7', 56, 77

local function read_stretch(bytes, at, name, shadow, deferred)
  local past, start, since = unp('>I7I7I7', bytes, at)
  local parameters = limit_parameters(unp(PARAMETERS, bytes, at + 21))
  if start < UNLIMITED then parameters.window_start, parameters.window_since = start, since end
  return {past = past, limit = new_limit(name, parameters, shadow, deferred)}
end

-- Returns a limit, or a list of its stretches.
local function read_limit(bytes)
  local length = byte(bytes)
  local name, flags = sub(bytes, 2, length + 1), byte(bytes, length + 2)
  local shadow, deferred, stretches = flags % 2 == 1, flags % 4 >= 2, {}
  if flags < 4 then
    return remember(limit_cache, bytes, new_limit(name, limit_parameters(unp(PARAMETERS, bytes, length + 3)), shadow, deferred))
  end
  for at = length + 4, #bytes, STRETCH_SIZE do
    stretches[#stretches + 1] = read_stretch(bytes, at, name, shadow, deferred)
  end
  return remember(limit_cache, bytes, stretches)
end

local function read_limits(bytes)
  local limits, at = {}, 1
  while at <= #bytes do
    local flags_at = at + byte(bytes, at) + 1
    local changes_with_time = byte(bytes, flags_at) >= 4
    local past = flags_at + 1 + (changes_with_time and 1 + byte(bytes, flags_at + 1) * STRETCH_SIZE or PARAMETERS_SIZE)
    local one = sub(bytes, at, past - 1)
    limits[#limits + 1] = limit_cache.of[one] or read_limit(one)
    if changes_with_time then
      limits.stretches = limits.stretches or {}
      limits.stretches[#limits] = limits[#limits]
    end
    at = past
  end
  return remember(limits_cache, bytes, limits)
end

-- Sets the limits that change with time to what they are now; a time before or after all stretches counts as in the nearest.
local function choose_stretches(limits, now)
  for i, stretches in pairs(limits.stretches) do
    local n = 1
    while n < #stretches and now >= stretches[n].past do n = n + 1 end
    limits[i] = stretches[n].limit
  end
end

-- Returns the state of a counter whose state is missing or unreadable.
local function fresh_state(counter)
  local bytes = raw[counter]
  if bytes and bytes ~= NO_STATE then corrupt = corrupt + 1 end
  raw[counter] = NO_STATE
  return 0, 0
end

-- Sets what the calling node holds of a counter, as InFlight.announce in Java. A call that arrives after a later one of the same
-- node changes nothing, and has no entry of its own.
local function announce(now, time, slots, held)
  local entry
  for i = 1, #slots do
    if time > now then slots[i][4] = max(now, slots[i][4] - (time - now)) end
    if slots[i][1] == holder then entry = slots[i] end
  end
  if entry and entry[2] >= sequence then return slots end
  slots.announced = entry or held > 0 -- otherwise there is nothing to store unless a slot is taken
  if not entry then
    entry = {}
    slots[#slots + 1] = entry
  end
  entry[1], entry[2], entry[3], entry[4] = holder, sequence, held, now + lease
  slots.own = entry
  return slots
end

-- Reads what the node holds: the node (6), the call's number (6), its lease (7), and per counter its index (2) and slots (4).
local function read_announcement(bytes)
  local at
  holder, sequence, lease, at = unp('>I6I6I7', bytes)
  announced = {}
  while at <= #bytes do
    local counter, held
    counter, held, at = unp('>I2I4', bytes, at)
    announced[counter] = held
  end
end

-- Returns the state of a counter, with clear scratch fields.
local function load_state(counter, now)
  local s = states[counter]
  if not s then s = {}; states[counter] = s end
  local time, used, extra = unpack_state(raw[counter])
  if announced and announced[counter] then
    if not time then time, used = fresh_state(counter) end
    local slots = type(extra) == 'table' and extra.slots and extra or {slots = true}
    return set_state(s, now, used, announce(now, time, slots, announced[counter]))
  end
  if time then return set_state(s, time, used, extra) end
  return set_state(s, fresh_state(counter))
end

-- Records the state of a counter as a change if it must be stored.
local function record_change(counter, now)
  local s = states[counter]
  if s.reset then
    longest_reset = max(longest_reset, s.reset)
    changes[change_count + 1] = labels[counter]
    changes[change_count + 2] = pack_state(s.time, s.used, s.extra, ceildiv(now + s.reset - s.time, 1000000))
    change_count = change_count + 2
  end
end

-- Decides a request by `claims`, whose counters are offset by `shift`.
local function decide_shared(size, shift, count, operation, now, when, shared)
  for i = 1, size do
    local c = claims[i]
    local counter = c.counter + shift
    local s = shared and shared[counter] or load_state(counter, now)
    if shared then shared[counter] = s end
    c.state = s
  end
  decide(claims, size, count, operation, now, when)
end

-- Decides a request that shares no counter with another.
local function decide_independent(size, shift, count, operation, now, when)
  decide_shared(size, shift, count, operation, now, when)
  for i = 1, size do record_change(claims[i].counter + shift, now) end
end

-- The same for many takes, claim by claim on the assumption that all are admitted, which is common; falls back to
-- decide_independent where one is not. The encoding of small states is inlined from state.lua: calling it would add one
-- twentieth to the total cost of a decision in Redis.
local function take_independent(size, repeats, count, now)
  local c = claims[1]
  local first, total_cost, take = c.counter, c.total_cost, c.take
  local raw, labels, changes, n, longest = raw, labels, changes, change_count, longest_reset
  for shift = 0, (repeats - 1) * size, size do
    local previous_longest = longest
    for i = 1, size do
      if size > 1 then
        c = claims[i]
        first, total_cost, take = c.counter, c.total_cost, c.take
      end
      local counter = first + shift
      local bytes, time, used, extra = raw[counter], 2 ^ 53
      if bytes and #bytes == SMALL_SIZE then time, used = unp(SMALL, bytes) end
      if time < 2 ^ 53 then
        used = used % 2 ^ 32
      else
        time, used, extra = unpack_state(bytes)
        if not time then time, used, extra = fresh_state(counter) end
      end
      local reset, t, u, e = take(now, total_cost, time, used, extra)
      if not reset then
        change_count, longest_reset = n - 2 * (i - 1), previous_longest
        decide_independent(size, shift, count, 'take', now, now)
        n, longest = change_count, longest_reset
        break
      end
      if reset > longest then longest = reset end
      local lifetime = now + reset - t + 999999
      lifetime = (lifetime - lifetime % 1000000) / 1000000
      changes[n + 1] = labels[counter]
      n = n + 2
      if e or u >= 2 ^ 32 or lifetime >= 2 ^ 21 then
        changes[n] = pack_state(t, u, e, lifetime)
      else
        changes[n] = pack(SMALL, t, lifetime * 2 ^ 32 + u)
      end
    end
  end
  change_count, longest_reset = n, longest
end

-- Reads the next requests into `claims`. Requests of one shape on consecutive counters are sent once: the number of repeats
-- (2), the operation (1, plus 8 if they share no counter), how many equal requests each one stands for (2), the first counter
-- (2), the number of claims (2); per claim the counter's distance from the first (2), limit (2), cost (1, or 0 and then 7); and
-- the time (7) of a force or refund. Returns the position of the next requests, the number of repeats, whether they are
-- independent, operation, count, size, and time.
local function read_requests(requests, at, limits, now)
  local repeats, operation, count, first, size, when
  repeats, operation, count, first, size, at = unp('>I2BI2I2I2', requests, at)
  local independent = operation >= 8
  operation, when = operations[operation % 8], now
  for i = 1, size do
    local c, distance, index, cost = claims[i]
    if not c then c = {}; claims[i] = c end
    distance, index, cost, at = unp('>I2I2B', requests, at)
    if cost == 0 then cost, at = unp('>I7', requests, at) end
    local limit = limits[index]
    c.limit, c.take, c.counter, c.cost, c.total_cost = limit, limit.take, first + distance, cost, count * cost
  end
  if operation == 'refund' or operation == 'force' then
    when, at = unp('>I7', requests, at)
    if when > now then when = now end
  end
  return at, repeats, independent, operation, count, size, when
end

-- Decides all requests in order.
local function decide_requests(requests, limits, now)
  local at, last, shared = 1, #requests, {}
  while at <= last do
    local repeats, independent, operation, count, size, when
    at, repeats, independent, operation, count, size, when = read_requests(requests, at, limits, now)
    if independent and operation == 'take' then
      take_independent(size, repeats, count, now)
    else
      for shift = 0, (repeats - 1) * size, size do
        if independent then
          decide_independent(size, shift, count, operation, now, when)
        else
          decide_shared(size, shift, count, operation, now, when, shared)
        end
      end
    end
  end
  for counter in pairs(shared) do record_change(counter, now) end
end

-- Shortens the long logs among the states in the reply. A refund of an earlier charge needs the whole log.
local function shorten_logs(requests, limits, now)
  local at, last, costs, refunds, strictest = 1, #requests, {}, {}, {}
  while at <= last do
    local repeats, _, operation, size, when
    at, repeats, _, operation, _, size, when = read_requests(requests, at, limits, now)
    for i = 1, size do
      local c = claims[i]
      local sum, cost = operation == 'refund' and refunds or costs, when < now and UNLIMITED or c.total_cost
      for counter = c.counter, c.counter + (repeats - 1) * size, size do
        sum[counter] = (sum[counter] or 0) + cost
        local other = strictest[counter]
        if not other or c.limit.permits < other.permits then strictest[counter] = c.limit end
      end
    end
  end
  for counter, limit in pairs(strictest) do
    local bytes = raw[counter]
    if byte(bytes) == LOG and #bytes > LOG_HEAD_SIZE + MAX_SENT_LOG_ENTRIES * LOG_ENTRY_SIZE then
      raw[counter] = shorten_log(bytes, now, limit, costs[counter] or 0, refunds[counter] or 0)
    end
  end
end

-- Finds the field of every counter; returns the number of fields.
local function find_fields(keys, count, name_size, suffix_size)
  if suffix_size == 0 then
    names = {unp(rep('c8', count), keys)}
    return count
  end
  local index, fields, at = {}, 0, 1
  for i = 1, count do
    local name = sub(keys, at, at + name_size - 1)
    local bucket = index[name]
    if not bucket then
      fields = fields + 1
      bucket, names[fields], index[name] = fields, name, fields
    end
    bucket_of[i], suffixes[i], numbers[i] = bucket, sub(keys, at + name_size, at + name_size + suffix_size - 1), i
    at = at + name_size + suffix_size
  end
  return fields
end

-- Returns the states of counters in packed buckets.
local function read_buckets(buckets, count)
  local found = {}
  for i = 1, count do
    local bucket = buckets[bucket_of[i]]
    from[i] = nil
    if bucket then
      from[i], to[i] = locate(bucket, suffixes[i])
      if from[i] then found[i] = sub(bucket, from[i], to[i]) elseif from[i] == false then corrupt = corrupt + 1 end
    end
  end
  return found
end

-- Turns changes of counters into changes of their buckets. In a bucket whose counters have moved, positions are located again.
local function apply_to_buckets(buckets)
  local moved = {}
  for n = 1, change_count, 2 do
    local i = changes[n]
    local number = bucket_of[i]
    local bucket, has_moved = buckets[number], nil
    if moved[number] and bucket then from[i], to[i] = locate(bucket, suffixes[i]) end
    buckets[number], has_moved = replace_state(bucket, suffixes[i], changes[n + 1], from[i], to[i])
    moved[number] = moved[number] or has_moved
  end
  change_count = 0
  for number in pairs(moved) do
    changes[change_count + 1], changes[change_count + 2] = names[number], buckets[number]
    change_count = change_count + 2
  end
end

-- args: header, limits, requests, keys (each the field name and, with packed buckets, the suffix). Replies with the header's
-- call number, the time, the number of corrupt states, and the state of every counter before the call, from which the node
-- computes all outcomes. A fifth argument says what the node holds of the in-flight limits among the counters.
local function decide_batch(shard, args)
  local number, now, name_size, suffix_size = unp('>I4I7BB', args[1])
  if now == 0 then
    local t = call('TIME')
    now = t[1] * 1000000 + t[2]
  end
  change_count, longest_reset, corrupt = 0, 0, 0
  local keys = args[4]
  local count = #keys / (name_size + suffix_size)
  local field_count = find_fields(keys, count, name_size, suffix_size)
  local fields = try('HMGET', shard, unpack(names, 1, field_count))
  if fields.err then
    if not find(fields.err, 'WRONGTYPE', 1, true) then return fields end
    call('UNLINK', shard)
    fields, corrupt = {}, 1
  end
  if suffix_size == 0 then
    raw, labels = fields, names
  else
    raw, labels = read_buckets(fields, count), numbers
  end
  local limits = limits_cache.of[args[2]] or read_limits(args[2])
  if limits.stretches then choose_stretches(limits, now) end
  read_long_log, announced = false, nil
  if args[5] then read_announcement(args[5]) end
  decide_requests(args[3], limits, now)
  if suffix_size > 0 then apply_to_buckets(fields) end

  local ttl = call('PTTL', shard)
  if change_count > 0 then
    if ttl == -2 then
      changes[change_count + 1], changes[change_count + 2] = PADDING, ''
      change_count = change_count + 2
    end
    call('HSET', shard, unpack(changes, 1, change_count))
  end
  local min_ttl = ceildiv(longest_reset, 1000)
  if ttl == -1 then
    call('PEXPIRE', shard, MAX_TTL_MS) -- the expiry was removed from outside, and the other counters of the shard are unknown
  elseif ttl < min_ttl then
    call('PEXPIRE', shard, min_ttl + EXPIRY_MARGIN_MS)
  end
  if read_long_log then shorten_logs(args[3], limits, now) end
  raw[0] = pack('>I4I7B', number, now, min(corrupt, 255))
  return table.concat(raw, '', 0, count)
end

-- args: header (with the number of fields to scan and of look-ups to make), cursor. Replies with the header's call number, the
-- number of fields and of counters seen, the number of counters removed, and the cursor. The results of the look-ups are not
-- used: each look-up makes Redis move a part of a hash to its smaller table, and a scan reads both tables until all is moved.
local function sweep(shard, args)
  local number, now, suffix_size, max_fields, lookups = unp('>I4I7BI2I2', args[1])
  if now == 0 then now = call('TIME')[1] * 1000000 end
  local found = max_fields > 0 and try('HSCAN', shard, args[2], 'COUNT', max_fields) or {args[2], {}}
  if found.err then return pack('>I4I4I4I4', number, 0, 0, 0) .. '0' end
  local fields, expired, shrunk, seen, left = found[2], {}, {}, 0, 0
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if name ~= PADDING then
      local kept, had, has
      if suffix_size > 0 then
        kept, had, has = remove_expired(value, suffix_size, now)
      else
        local length = #value
        local is_state = length == SMALL_SIZE or length == state_size(value, 1)
        had, has = 1, is_state and not is_expired(value, 1, length, now) and 1 or 0
      end
      seen, left = seen + had, left + has
      if has == 0 then
        expired[#expired + 1] = name
      elseif has < had then
        shrunk[#shrunk + 1], shrunk[#shrunk + 2] = name, kept
      end
    end
  end
  if shrunk[1] then call('HSET', shard, unpack(shrunk)) end
  if expired[1] then
    call('HDEL', shard, unpack(expired))
    if call('HLEN', shard) == 1 then call('UNLINK', shard) end
  end
  -- Expired counters that are not yet swept must not expire with their shard: Redis frees a million fields in half a second.
  local ttl = call('PTTL', shard)
  if ttl >= 0 and ttl < EXPIRY_MARGIN_MS / 2 then call('PEXPIRE', shard, EXPIRY_MARGIN_MS) end
  if lookups > 0 then
    for i = #paddings + 1, lookups do paddings[i] = PADDING end
    try('HMGET', shard, unpack(paddings, 1, lookups))
  end
  return pack('>I4I4I4I4', number, #fields / 2, seen, seen - left) .. found[1]
end

return function(keys, args)
  if #args >= 4 then return decide_batch(keys[1], args) end
  return sweep(keys[1], args)
end
