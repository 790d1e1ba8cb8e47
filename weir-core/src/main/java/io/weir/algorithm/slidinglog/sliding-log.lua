-- Every charge remembered for one period: the twin of SlidingLog.java.
-- What more it remembers is its entries, oldest first, each a time (7) and a cost (2) in bytes: {bytes, from, to, tail} are
-- those in `bytes` from one place to another, and those in `tail`. To make a string takes Lua time for each of its bytes, and
-- to read an entry as much as some hundred bytes. So a charge reads only entries at both ends and makes no long string.
local ENTRY, WIDTH, MUCH = '>I7I2', 9, 64 * 9
local unpack_entry, pack_entry, cut = struct.unpack, struct.pack, string.sub

-- All entries in `bytes`.
local function flatten(log)
  if log.tail ~= '' then
    log.bytes, log.from, log.tail = cut(log.bytes, log.from, log.to) .. log.tail, 1, ''
    log.to = #log.bytes
  end
end

-- Time and cost of the newest entry; nil if there is none.
local function newest(log)
  if log.tail ~= '' then return unpack_entry(ENTRY, log.tail, #log.tail - WIDTH + 1) end
  if log.to >= log.from then return unpack_entry(ENTRY, log.bytes, log.to - WIDTH + 1) end
end

-- Where in `bytes` the entries by `when` end.
local function end_by(log, when)
  local low, high = 0, (log.to - log.from + 1) / WIDTH
  while low < high do
    local middle = low + high + 1
    middle = (middle - middle % 2) / 2
    if unpack_entry(ENTRY, log.bytes, log.from + (middle - 1) * WIDTH) <= when then low = middle else high = middle - 1 end
  end
  return log.from + low * WIDTH - 1
end

-- Makes entries later than now entries of now: one, as they leave together.
local function step_back(log, now)
  flatten(log)
  local kept, cost = end_by(log, now), 0
  for at = kept + 1, log.to, WIDTH do
    local _, one = unpack_entry(ENTRY, log.bytes, at)
    cost = cost + one
  end
  if cost > 0 then log.to, log.tail = kept, pack_entry(ENTRY, now, cost) end
end

-- Drops the entries that have expired; returns what is used.
local function expire(log, used, expired)
  local last = newest(log)
  if not last or last <= expired then
    log.bytes, log.from, log.to, log.tail = '', 1, 0, ''
    return 0
  end
  local bytes, from, to = log.bytes, log.from, log.to
  while from < to do
    local time, cost = unpack_entry(ENTRY, bytes, from)
    if time > expired and time <= last then break end -- one that is later than the last is corrupt
    used, from = used - cost, from + WIDTH
  end
  log.from = from
  return used
end

-- Enters a charge, joining one of the same moment.
local function enter(log, when, cost)
  local last = newest(log)
  if not last or last < when then
    log.tail = log.tail .. pack_entry(ENTRY, when, cost)
    return
  end
  flatten(log)
  local past = end_by(log, when)
  local kept = past
  if past >= log.from then
    local time, other = unpack_entry(ENTRY, log.bytes, past - WIDTH + 1)
    if time == when then kept, cost = past - WIDTH, other + cost end
  end
  log.tail = pack_entry(ENTRY, when, cost) .. cut(log.bytes, past + 1, log.to)
  log.to = kept
end

-- Takes `left` out of the oldest charges; returns what of it could not be taken.
local function forget(log, left)
  flatten(log)
  while left > 0 and log.from < log.to do
    local time, cost = unpack_entry(ENTRY, log.bytes, log.from)
    log.from = log.from + WIDTH
    if cost > left then
      log.bytes = pack_entry(ENTRY, time, cost - left) .. cut(log.bytes, log.from, log.to)
      log.from, log.to, left = 1, #log.bytes, cost
    end
    left = left - cost
  end
  return left
end

-- Takes `left` out of the charges by `when`, the youngest first; returns what of it could not be taken.
local function give_back(log, when, left)
  flatten(log)
  local past = end_by(log, when)
  local kept, rest = past, ''
  while left > 0 and kept >= log.from do
    local time, cost = unpack_entry(ENTRY, log.bytes, kept - WIDTH + 1)
    kept = kept - WIDTH
    if cost > left then rest, left = pack_entry(ENTRY, time, cost - left), cost end
    left = left - cost
  end
  log.tail = rest .. cut(log.bytes, past + 1, log.to)
  log.to = kept
  return left
end

return function(t)
  local permits, period, most = t.permits, t.period, 2 * t.permits

  local function age(now, time, used, log)
    if type(log) ~= 'table' then return permits, now, 0, {bytes = '', from = 1, to = 0, tail = ''} end -- fresh, or corrupt
    if time > now then step_back(log, now) end
    local from = log.from
    used = expire(log, used, now - period)
    return max(0, permits - used), now, used, log, log.from - from > MUCH
  end

  local function charge(now, when, cost, time, used, log)
    cost = min(cost, most)
    if when <= time - period then
      cost = 0 -- forgotten already
    end
    if cost > 0 then
      enter(log, when, cost)
      used = used + cost
      if used > most then used = most + forget(log, used - most) end -- the oldest would leave first
    elseif cost < 0 then
      used = max(0, used + cost + give_back(log, when, -cost)) -- not below, whatever a corrupt state says
    end
    local last = newest(log)
    return last and last + period - now or 0, time, used, log
  end

  return age, charge
end
