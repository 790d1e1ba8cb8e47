-- Encodes and decodes the states of counters; ReplyDecoder.java reads the same format.
--   time      (7)  in microseconds
--   lifetime  (7)  how long after its time the state expires, in seconds, which is all that the sweep needs;
--                  unless the state is wide, 2^32 times that, plus the permits used
-- Nearly every state consists of these two alone. Other states begin with their kind (1), and have more fields at the end:
--   SMALL_PREVIOUS   used in the previous window (4)
--   WIDE             used (7)
--   WIDE_PREVIOUS    used (7) and used in the previous window (7)
--   SLOTS            the number of its entries (2), and per entry the node (6), its last call (6), the slots it holds (4) and the
--                    end of its lease (7)
--   LOG              used (3), the number of its entries (2), and the entries as in sliding-log.lua (9 each)
-- The first byte of a time is below 32, as times are below 2^53, and kinds are above 127: no text can be taken for a state.
local byte, sub, find, pack, unp = string.byte, string.sub, string.find, struct.pack, struct.unpack
local SMALL, SMALL_SIZE = '>I7I7', 14
local SMALL_PREVIOUS, WIDE, WIDE_PREVIOUS, LOG = 128, 129, 130, 193
local SLOTS, SLOTS_HEAD, SLOTS_HEAD_SIZE, SLOTS_ENTRY, SLOTS_ENTRY_SIZE = 194, '>BI7I7I2', 17, '>I6I6I4I7', 23
local LOG_HEAD, LOG_HEAD_SIZE, LOG_ENTRY, LOG_ENTRY_SIZE = '>BI7I7I3I2', 20, '>I7I2', 9
-- A log of more entries than this is shortened before it is sent to a node.
local MAX_SENT_LOG_ENTRIES = 32
local formats = {[SMALL_PREVIOUS] = '>BI7I7I4', [WIDE] = '>BI7I7I7', [WIDE_PREVIOUS] = '>BI7I7I7I7'}
local sizes = {}
for kind = 0, 31 do sizes[kind] = SMALL_SIZE end
for kind, format in pairs(formats) do sizes[kind] = #pack(format, 0, 0, 0, 0, 0) end

-- Returns the size of the state that begins at `at`; nil if none does.
local function state_size(bytes, at)
  local kind = byte(bytes, at)
  if kind == LOG and #bytes >= at + LOG_HEAD_SIZE - 1 then
    return LOG_HEAD_SIZE + LOG_ENTRY_SIZE * unp('>I2', bytes, at + LOG_HEAD_SIZE - 2)
  end
  if kind == SLOTS and #bytes >= at + SLOTS_HEAD_SIZE - 1 then
    return SLOTS_HEAD_SIZE + SLOTS_ENTRY_SIZE * unp('>I2', bytes, at + SLOTS_HEAD_SIZE - 2)
  end
  return sizes[kind]
end

-- Returns whether the state of that length that begins at `at` has expired. Where the permits used share one number with the
-- lifetime, they amount to less than one second of it.
local function is_expired(bytes, at, length, now)
  if length == SMALL_SIZE then
    local time, lifetime = unp(SMALL, bytes, at)
    return time + lifetime * (1000000 / 2 ^ 32) <= now
  end
  local kind, time, lifetime = unp('>BI7I7', bytes, at)
  if kind == SMALL_PREVIOUS then lifetime = lifetime / 2 ^ 32 end
  return time + lifetime * 1000000 <= now
end

-- Whether a long log was read since this was last set to false.
local read_long_log = false

-- Reads only the first and the last entry: an entry between them that is out of order is dropped when it expires.
local function unpack_log(bytes)
  local _, time, _, used, count = unp(LOG_HEAD, bytes)
  if count > 0 then
    local first, last = unp(LOG_ENTRY, bytes, LOG_HEAD_SIZE + 1), unp(LOG_ENTRY, bytes, #bytes - LOG_ENTRY_SIZE + 1)
    if first > last or last > time then return nil end
  end
  if used < count or count == 0 and used > 0 then return nil end
  if count > MAX_SENT_LOG_ENTRIES then read_long_log = true end
  return time, used, {bytes = bytes, from = LOG_HEAD_SIZE + 1, to = #bytes, tail = ''}
end

local function unpack_slots(bytes)
  local _, time, _, count = unp(SLOTS_HEAD, bytes)
  local slots = {slots = true}
  for i = 1, count do
    slots[i] = {unp(SLOTS_ENTRY, bytes, SLOTS_HEAD_SIZE + 1 + (i - 1) * SLOTS_ENTRY_SIZE)}
  end
  return time, 0, slots
end

local function pack_slots(time, slots, lifetime)
  local entries = {pack(SLOTS_HEAD, SLOTS, time, lifetime, #slots)}
  for i = 1, #slots do
    local entry = slots[i]
    entries[i + 1] = pack(SLOTS_ENTRY, entry[1], entry[2], entry[3], entry[4])
  end
  return table.concat(entries)
end

-- Steps over entries from a position on, forward or backward, until their costs add up to `cost`: returns the position after
-- them and the sum of their costs.
local function skip_entries(bytes, at, cost, step)
  local sum = 0
  while sum < cost and at > LOG_HEAD_SIZE and at < #bytes do
    local _, entry_cost = unp(LOG_ENTRY, bytes, at)
    sum, at = sum + entry_cost, at + step
  end
  return at, sum
end

-- Returns the state of a long log as of now, as short as a node can compute outcomes from for costs of up to `cost` in total
-- and refunds of up to `refund`: the oldest entries that make up `cost`, the newest that make up `refund`, and those between
-- them as one entry. The retry time depends on the entry whose expiry makes the cost available, and the reset time on the
-- newest, so both stay exact. Returns the whole state where that is simpler.
local function shorten_log(bytes, now, limit, cost, refund)
  local time, used, log = unpack_log(bytes)
  if not time or time > now or cost > MAX_SENT_LOG_ENTRIES or refund > MAX_SENT_LOG_ENTRIES then return bytes end
  local _
  _, time, used, log = limit.advance(now, time, used, log)
  if used > limit.permits or log.to < log.from then return bytes end
  local past, first_cost = skip_entries(bytes, log.from, cost, LOG_ENTRY_SIZE)
  local last, last_cost = skip_entries(bytes, log.to - LOG_ENTRY_SIZE + 1, refund, -LOG_ENTRY_SIZE)
  if last <= past then return bytes end
  local first = sub(bytes, log.from, past - 1)
  -- the entries between become one, with the time of the last of them and the cost of all
  first = first .. pack(LOG_ENTRY, unp(LOG_ENTRY, bytes, last), used - first_cost - last_cost)
  local entries = first .. sub(bytes, last + LOG_ENTRY_SIZE)
  return pack(LOG_HEAD, LOG, time, 0, used, #entries / LOG_ENTRY_SIZE) .. entries
end

-- Returns time, used and extra of a state; nil if the bytes are missing or not a state.
local function unpack_state(bytes)
  if not bytes or state_size(bytes, 1) ~= #bytes then return nil end
  local kind = byte(bytes)
  if kind < SMALL_PREVIOUS then
    local time, lifetime = unp(SMALL, bytes)
    return time, lifetime % 2 ^ 32
  end
  if kind == LOG then return unpack_log(bytes) end
  if kind == SLOTS then return unpack_slots(bytes) end
  local _, time, lifetime, used, previous = unp(formats[kind], bytes)
  if kind == SMALL_PREVIOUS then return time, lifetime % 2 ^ 32, used end
  return time, used, kind == WIDE_PREVIOUS and previous or nil
end

local function pack_state(time, used, extra, lifetime)
  if type(extra) == 'table' then
    if extra.slots then return pack_slots(time, extra, lifetime) end
    local count = (extra.to - extra.from + 1 + #extra.tail) / LOG_ENTRY_SIZE
    return pack(LOG_HEAD, LOG, time, lifetime, used, count) .. sub(extra.bytes, extra.from, extra.to) .. extra.tail
  end
  extra = extra or 0
  if used < 2 ^ 32 and extra < 2 ^ 32 and lifetime < 2 ^ 21 then
    if extra == 0 then return pack(SMALL, time, lifetime * 2 ^ 32 + used) end
    return pack(formats[SMALL_PREVIOUS], SMALL_PREVIOUS, time, lifetime * 2 ^ 32 + used, extra)
  end
  if extra == 0 then return pack(formats[WIDE], WIDE, time, lifetime, used) end
  return pack(formats[WIDE_PREVIOUS], WIDE_PREVIOUS, time, lifetime, used, extra)
end
