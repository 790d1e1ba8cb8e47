-- Remembers every charge for one period. The Lua counterpart of SlidingLog.java.
-- The extra value is the log: entries, oldest first, each a time (7 bytes) and a cost (2 bytes). {bytes, from, to, tail} are
-- the entries in `bytes` between two positions, followed by those in `tail`. Building a string takes Lua time for each of its
-- bytes, and reading one entry takes as long as building some hundred bytes. So a charge reads only entries at both ends and
-- builds no long string.
local ENTRY_FORMAT, ENTRY_SIZE, MAX_EXPIRED_BYTES = '>I7I2', 9, 64 * 9
local unpack_entry, pack_entry, substring = struct.unpack, struct.pack, string.sub

-- Moves all entries into `bytes`.
local function flatten(log)
  if log.tail ~= '' then
    log.bytes, log.from, log.tail = substring(log.bytes, log.from, log.to) .. log.tail, 1, ''
    log.to = #log.bytes
  end
end

-- Returns the time and cost of the newest entry; nil if there is none.
local function newest(log)
  if log.tail ~= '' then return unpack_entry(ENTRY_FORMAT, log.tail, #log.tail - ENTRY_SIZE + 1) end
  if log.to >= log.from then return unpack_entry(ENTRY_FORMAT, log.bytes, log.to - ENTRY_SIZE + 1) end
end

-- Returns the position in `bytes` where the entries up to and including `when` end.
local function end_of_entries(log, when)
  local low, high = 0, (log.to - log.from + 1) / ENTRY_SIZE
  while low < high do
    local middle = low + high + 1
    middle = (middle - middle % 2) / 2
    if unpack_entry(ENTRY_FORMAT, log.bytes, log.from + (middle - 1) * ENTRY_SIZE) <= when then
      low = middle
    else
      high = middle - 1
    end
  end
  return log.from + low * ENTRY_SIZE - 1
end

-- Merges entries later than now into one entry dated now, since they expire together. Needed after the clock stepped back.
local function merge_future_entries(log, now)
  flatten(log)
  local kept, cost = end_of_entries(log, now), 0
  for position = kept + 1, log.to, ENTRY_SIZE do
    local _, entry_cost = unpack_entry(ENTRY_FORMAT, log.bytes, position)
    cost = cost + entry_cost
  end
  if cost > 0 then log.to, log.tail = kept, pack_entry(ENTRY_FORMAT, now, cost) end
end

-- Drops the entries that have expired; returns the permits still used.
local function expire(log, used, expired)
  local last = newest(log)
  if not last or last <= expired then
    log.bytes, log.from, log.to, log.tail = '', 1, 0, ''
    return 0
  end
  local bytes, from, to = log.bytes, log.from, log.to
  while from < to do
    local time, cost = unpack_entry(ENTRY_FORMAT, bytes, from)
    if time > expired and time <= last then break end -- an entry later than the last one is corrupt
    used, from = used - cost, from + ENTRY_SIZE
  end
  log.from = from
  return used
end

-- Inserts a charge; merges it with an entry of the same time.
local function insert(log, when, cost)
  local last = newest(log)
  if not last or last < when then
    log.tail = log.tail .. pack_entry(ENTRY_FORMAT, when, cost)
    return
  end
  flatten(log)
  local past = end_of_entries(log, when)
  local kept = past
  if past >= log.from then
    local time, other = unpack_entry(ENTRY_FORMAT, log.bytes, past - ENTRY_SIZE + 1)
    if time == when then kept, cost = past - ENTRY_SIZE, other + cost end
  end
  log.tail = pack_entry(ENTRY_FORMAT, when, cost) .. substring(log.bytes, past + 1, log.to)
  log.to = kept
end

-- Removes `left` permits from the oldest entries; returns how many of them could not be removed.
local function remove_oldest(log, left)
  flatten(log)
  while left > 0 and log.from < log.to do
    local time, cost = unpack_entry(ENTRY_FORMAT, log.bytes, log.from)
    log.from = log.from + ENTRY_SIZE
    if cost > left then
      log.bytes = pack_entry(ENTRY_FORMAT, time, cost - left) .. substring(log.bytes, log.from, log.to)
      log.from, log.to, left = 1, #log.bytes, cost
    end
    left = left - cost
  end
  return left
end

-- Removes `left` permits from the entries up to and including `when`, newest first; returns how many could not be removed.
local function remove_newest(log, when, left)
  flatten(log)
  local past = end_of_entries(log, when)
  local kept, partial = past, ''
  while left > 0 and kept >= log.from do
    local time, cost = unpack_entry(ENTRY_FORMAT, log.bytes, kept - ENTRY_SIZE + 1)
    kept = kept - ENTRY_SIZE
    if cost > left then partial, left = pack_entry(ENTRY_FORMAT, time, cost - left), cost end
    left = left - cost
  end
  log.tail = partial .. substring(log.bytes, past + 1, log.to)
  log.to = kept
  return left
end

return function(parameters)
  local permits, period, max_used = parameters.permits, parameters.period, 2 * parameters.permits

  local function advance(now, time, used, log)
    if type(log) ~= 'table' then return permits, now, 0, {bytes = '', from = 1, to = 0, tail = ''} end -- fresh or corrupt
    if time > now then merge_future_entries(log, now) end
    local from = log.from
    used = expire(log, used, now - period)
    return max(0, permits - used), now, used, log, log.from - from > MAX_EXPIRED_BYTES
  end

  local function charge(now, when, cost, time, used, log)
    cost = min(cost, max_used)
    if when <= time - period then
      cost = 0 -- already expired
    end
    if cost > 0 then
      insert(log, when, cost)
      used = used + cost
      if used > max_used then used = max_used + remove_oldest(log, used - max_used) end -- the oldest would expire first
    elseif cost < 0 then
      used = max(0, used + cost + remove_newest(log, when, -cost)) -- max guards against a corrupt state
    end
    local last = newest(log)
    return last and last + period - now or 0, time, used, log
  end

  return advance, charge
end
