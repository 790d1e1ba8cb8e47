-- A shelf is a hash. Its fields are named by a key: by all of it, and a field is one counter's state, which is fastest;
-- or by its first bits, and a field is a page that counters share, which is smallest.
-- One call decides a batch of requests, another forgets what has become fresh.
local call, try, rep = redis.call, redis.pcall, string.rep
local MARGIN, LONG = 60000, 400 * 86400000 -- milliseconds
local NONE = '\255' -- as a counter without a state is told
-- A field too long for Redis's small encoding of hashes, which would search them one by one; and that many times.
local PAD, pads = rep('-', 65), {}
local LARGE = 2 ^ 53
local modes = {[0] = 'take', 'peek', 'force', 'refund', 'lease'}
-- What a call works on, kept from call to call where the server lets us, so that little is made anew: per counter the
-- field it is in, the bytes of its state, and the state if others may ask for it; on pages also the rest of its key and its
-- place. Changes are noted as pairs of a label (a field, or on pages the counter) and the new bytes.
local claims, names, raw, states, changes, numbers = {}, {}, {}, {}, {}, {}
local rests, page_of, from, to = {}, {}, {}, {}
local labels, count_changes, longest, corrupt = names, 0, 0, 0

-- Remembers what some bytes mean, for as long as there are not too many.
local function remember(memory, bytes, meaning)
  if memory.size >= 1000 then memory.of, memory.size = {}, 0 end
  memory.of[bytes], memory.size = meaning, memory.size + 1
  return meaning
end
local limit_memory, limits_memory = {of = {}, size = 0}, {of = {}, size = 0}

-- A limit: the name of its algorithm (1 and as many), whether it is a shadow (1), and its terms (7 each).
local function read_limit(bytes)
  local length = byte(bytes)
  local terms = terms_of(unp('>I7I7I7I7I7I7I7I7', bytes, length + 3))
  return remember(limit_memory, bytes, limit_of(sub(bytes, 2, length + 1), terms, byte(bytes, length + 2) == 1))
end

local function read_limits(bytes)
  local limits, at = {}, 1
  while at <= #bytes do
    local past = at + byte(bytes, at) + 58
    local one = sub(bytes, at, past - 1)
    limits[#limits + 1] = limit_memory.of[one] or read_limit(one)
    at = past
  end
  return remember(limits_memory, bytes, limits)
end

-- The state of a counter that has none, or one that cannot be read.
local function fresh(counter)
  local bytes = raw[counter]
  if bytes and bytes ~= NONE then corrupt = corrupt + 1 end
  raw[counter] = NONE
  return 0, 0
end

-- The state of a counter, without notes.
local function load(counter)
  local s = states[counter]
  if not s then s = {}; states[counter] = s end
  local time, used, more = unpack_state(raw[counter])
  if time then return without_notes(s, time, used, more) end
  return without_notes(s, fresh(counter))
end

-- Notes the state of a counter if it must be stored.
local function keep_changed(counter, now)
  local s = states[counter]
  if s.reset then
    longest = max(longest, s.reset)
    changes[count_changes + 1] = labels[counter]
    changes[count_changes + 2] = pack_state(s.time, s.used, s.more, ceildiv(now + s.reset - s.time, 1000000))
    count_changes = count_changes + 2
  end
end

-- Judges a request by its claims, whose counters have moved on by `shift`.
local function judge_one(size, shift, count, mode, now, when, shared)
  for i = 1, size do
    local c = claims[i]
    local counter = c.counter + shift
    local s = shared and shared[counter] or load(counter)
    if shared then shared[counter] = s end
    c.state = s
  end
  decide(claims, size, count, mode, now, when)
end

-- Judges a request that shares no counter.
local function judge_apart(size, shift, count, mode, now, when)
  judge_one(size, shift, count, mode, now, when)
  for i = 1, size do keep_changed(claims[i].counter + shift, now) end
end

-- The same for many, claim by claim as if all fits, which is common; where it does not, as above. What is done with small
-- states in state.lua is written out here: to call it would be a twentieth more of all that a decision costs Redis.
local function take_apart(size, repeats, count, now)
  local c = claims[1]
  local first, all, take = c.counter, c.all, c.take
  local raw, labels, changes, n, most = raw, labels, changes, count_changes, longest
  for shift = 0, (repeats - 1) * size, size do
    local most_before = most
    for i = 1, size do
      if size > 1 then
        c = claims[i]
        first, all, take = c.counter, c.all, c.take
      end
      local counter = first + shift
      local bytes, time, used, more = raw[counter], 2 ^ 53
      if bytes and #bytes == SMALL_SIZE then time, used = unp(SMALL, bytes) end
      if time < 2 ^ 53 then
        used = used % 2 ^ 32
      else
        time, used, more = unpack_state(bytes)
        if not time then time, used, more = fresh(counter) end
      end
      local back, t, u, m = take(now, all, time, used, more)
      if not back then
        count_changes, longest = n - 2 * (i - 1), most_before
        judge_apart(size, shift, count, 'take', now, now)
        n, most = count_changes, longest
        break
      end
      if back > most then most = back end
      local life = now + back - t + 999999
      life = (life - life % 1000000) / 1000000
      changes[n + 1] = labels[counter]
      n = n + 2
      if m or u >= 2 ^ 32 or life >= 2 ^ 21 then
        changes[n] = pack_state(t, u, m, life)
      else
        changes[n] = pack(SMALL, t, life * 2 ^ 32 + u)
      end
    end
  end
  count_changes, longest = n, most
end

-- Reads the next requests into `claims`. Requests of one shape on counters that follow each other are told once: how many
-- (2), their mode (1, and 8 more if they share no counter), how often each is asked (2), the first counter (2), claims (2);
-- per claim the counter's distance from the first (2), limit (2), cost (1, or 0 and 7 more); and when (7), if it is forced
-- or gives back. Returns where the next begin, how many they are, whether apart, mode, count, size, and when.
local function read_requests(requests, at, limits, now)
  local repeats, mode, count, first, size, when
  repeats, mode, count, first, size, at = unp('>I2BI2I2I2', requests, at)
  local apart = mode >= 8
  mode, when = modes[mode % 8], now
  for i = 1, size do
    local c, distance, index, cost = claims[i]
    if not c then c = {}; claims[i] = c end
    distance, index, cost, at = unp('>I2I2B', requests, at)
    if cost == 0 then cost, at = unp('>I7', requests, at) end
    local limit = limits[index]
    c.limit, c.take, c.counter, c.cost, c.all = limit, limit.take, first + distance, cost, count * cost
  end
  if mode == 'refund' or mode == 'force' then
    when, at = unp('>I7', requests, at)
    if when > now then when = now end
  end
  return at, repeats, apart, mode, count, size, when
end

-- Judges every request in turn.
local function judge(requests, limits, now)
  local at, last, shared = 1, #requests, {}
  while at <= last do
    local repeats, apart, mode, count, size, when
    at, repeats, apart, mode, count, size, when = read_requests(requests, at, limits, now)
    if apart and mode == 'take' then
      take_apart(size, repeats, count, now)
    else
      for shift = 0, (repeats - 1) * size, size do
        if apart then
          judge_apart(size, shift, count, mode, now, when)
        else
          judge_one(size, shift, count, mode, now, when, shared)
        end
      end
    end
  end
  for counter in pairs(shared) do keep_changed(counter, now) end
end

-- Shortens the long logs among the states to be told. A refund of what was charged earlier needs all of its log.
local function shorten_logs(requests, limits, now)
  local at, last, costs, refunds, strictest = 1, #requests, {}, {}, {}
  while at <= last do
    local repeats, _, mode, size, when
    at, repeats, _, mode, _, size, when = read_requests(requests, at, limits, now)
    for i = 1, size do
      local c = claims[i]
      local sum, all = mode == 'refund' and refunds or costs, when < now and LARGE or c.all
      for counter = c.counter, c.counter + (repeats - 1) * size, size do
        sum[counter] = (sum[counter] or 0) + all
        local other = strictest[counter]
        if not other or c.limit.permits < other.permits then strictest[counter] = c.limit end
      end
    end
  end
  for counter, limit in pairs(strictest) do
    local bytes = raw[counter]
    if byte(bytes) == LOG and #bytes > LOG_HEAD_SIZE + SHORT_LOG * LOG_ENTRY_SIZE then
      raw[counter] = shorten_log(bytes, now, limit, costs[counter] or 0, refunds[counter] or 0)
    end
  end
end

-- Finds the field of every counter; returns how many fields there are.
local function find_fields(keys, count, width, rest)
  if rest == 0 then
    names = {unp(rep('c8', count), keys)}
    return count
  end
  local index, fields, at = {}, 0, 1
  for i = 1, count do
    local name = sub(keys, at, at + width - 1)
    local page = index[name]
    if not page then
      fields = fields + 1
      page, names[fields], index[name] = fields, name, fields
    end
    page_of[i], rests[i], numbers[i] = page, sub(keys, at + width, at + width + rest - 1), i
    at = at + width + rest
  end
  return fields
end

-- The states of counters that are on pages.
local function read_pages(pages, count)
  local found = {}
  for i = 1, count do
    local page = pages[page_of[i]]
    from[i] = nil
    if page then
      from[i], to[i] = locate(page, rests[i])
      if from[i] then found[i] = sub(page, from[i], to[i]) elseif from[i] == false then corrupt = corrupt + 1 end
    end
  end
  return found
end

-- Turns changes of counters into changes of their pages. Where others have moved, a place is not where it was read.
local function turn_pages(pages)
  local moved = {}
  for n = 1, count_changes, 2 do
    local i = changes[n]
    local number = page_of[i]
    local page, shifts = pages[number], nil
    if moved[number] and page then from[i], to[i] = locate(page, rests[i]) end
    pages[number], shifts = put(page, rests[i], changes[n + 1], from[i], to[i])
    moved[number] = moved[number] or shifts
  end
  count_changes = 0
  for number in pairs(moved) do
    changes[count_changes + 1], changes[count_changes + 2] = names[number], pages[number]
    count_changes = count_changes + 2
  end
end

-- args: head, limits, requests, keys (each the name of its field and, on pages, the rest). Answers with the head's number,
-- the time, how many states were corrupt, and what every counter's state was before: all that a node needs to tell the
-- callers.
local function decide_all(shelf, args)
  local number, now, width, rest = unp('>I4I7BB', args[1])
  if now == 0 then
    local t = call('TIME')
    now = t[1] * 1000000 + t[2]
  end
  count_changes, longest, corrupt = 0, 0, 0
  local keys = args[4]
  local count = #keys / (width + rest)
  local count_fields = find_fields(keys, count, width, rest)
  local fields = try('HMGET', shelf, unpack(names, 1, count_fields))
  if fields.err then
    if not find(fields.err, 'WRONGTYPE', 1, true) then return fields end
    call('UNLINK', shelf)
    fields, corrupt = {}, 1
  end
  if rest == 0 then
    raw, labels = fields, names
  else
    raw, labels = read_pages(fields, count), numbers
  end
  local limits = limits_memory.of[args[2]] or read_limits(args[2])
  read_long_log = false
  judge(args[3], limits, now)
  if rest > 0 then turn_pages(fields) end

  local lives = call('PTTL', shelf)
  if count_changes > 0 then
    if lives == -2 then
      changes[count_changes + 1], changes[count_changes + 2] = PAD, ''
      count_changes = count_changes + 2
    end
    call('HSET', shelf, unpack(changes, 1, count_changes))
  end
  local keep_for = ceildiv(longest, 1000)
  if lives == -1 then
    call('PEXPIRE', shelf, LONG) -- somebody took its expiry away: what else is on it is not known
  elseif lives < keep_for then
    call('PEXPIRE', shelf, keep_for + MARGIN)
  end
  if read_long_log then shorten_logs(args[3], limits, now) end
  raw[0] = pack('>I4I7B', number, now, min(corrupt, 255))
  return table.concat(raw, '', 0, count)
end

-- args: head (with how many fields to look at and how many look-ups to make), cursor. Answers with the head's number, how
-- many fields and counters were seen, how many counters forgotten, and the cursor. The look-ups are not for what they
-- find: each lets Redis move a little of a hash to its smaller table, and a scan reads both until all is moved.
local function sweep(shelf, args)
  local number, now, rest, most, moves = unp('>I4I7BI2I2', args[1])
  if now == 0 then now = call('TIME')[1] * 1000000 end
  local found = most > 0 and try('HSCAN', shelf, args[2], 'COUNT', most) or {args[2], {}}
  if found.err then return pack('>I4I4I4I4', number, 0, 0, 0) .. '0' end
  local fields, dead, tidied, seen, left = found[2], {}, {}, 0, 0
  for i = 1, #fields, 2 do
    local name, page = fields[i], fields[i + 1]
    if name ~= PAD then
      local kept, had, has
      if rest > 0 then
        kept, had, has = tidy(page, rest, now)
      else
        local length = #page
        local is_state = length == SMALL_SIZE or length == size(page, 1)
        had, has = 1, is_state and not is_over(page, 1, length, now) and 1 or 0
      end
      seen, left = seen + had, left + has
      if has == 0 then
        dead[#dead + 1] = name
      elseif has < had then
        tidied[#tidied + 1], tidied[#tidied + 2] = name, kept
      end
    end
  end
  if tidied[1] then call('HSET', shelf, unpack(tidied)) end
  if dead[1] then
    call('HDEL', shelf, unpack(dead))
    if call('HLEN', shelf) == 1 then call('UNLINK', shelf) end
  end
  -- What is over and not yet swept must not expire with its shelf: Redis frees a million fields in half a second.
  local lives = call('PTTL', shelf)
  if lives >= 0 and lives < MARGIN / 2 then call('PEXPIRE', shelf, MARGIN) end
  if moves > 0 then
    for i = #pads + 1, moves do pads[i] = PAD end
    try('HMGET', shelf, unpack(pads, 1, moves))
  end
  return pack('>I4I4I4I4', number, #fields / 2, seen, seen - left) .. found[1]
end

return function(keys, args)
  if #args == 4 then return decide_all(keys[1], args) end
  return sweep(keys[1], args)
end
