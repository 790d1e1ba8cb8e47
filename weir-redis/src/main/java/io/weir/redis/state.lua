-- A state as bytes, and back; Packed.java reads the same.
--   time      (7)  in microseconds
--   life      (7)  until it may be forgotten, in seconds from its time on: all that whoever sweeps needs to know;
--                  unless wide, 2^32 times that, plus what is used
-- That is all of nearly every state. Others begin with their kind (1), and have more behind:
--   MORE           before (4)
--   WIDE           used (7)
--   WIDE_MORE      used (7) and before (7)
--   LOG            used (3), the number of its entries (2), and the entries as sliding-log.lua has them (9 each)
-- The first byte of a time is below 32, as times are below 2^53, and kinds are above 127: no text is taken for a state.
local byte, sub, find, pack, unp = string.byte, string.sub, string.find, struct.pack, struct.unpack
local SMALL, SMALL_SIZE = '>I7I7', 14
local MORE, WIDE, WIDE_MORE, LOG = 128, 129, 130, 193
local LOG_HEAD, LOG_HEAD_SIZE, LOG_ENTRY, LOG_ENTRY_SIZE = '>BI7I7I3I2', 20, '>I7I2', 9
-- A log of more entries than this is shortened before it is sent to a node.
local SHORT_LOG = 32
local formats = {[MORE] = '>BI7I7I4', [WIDE] = '>BI7I7I7', [WIDE_MORE] = '>BI7I7I7I7'}
local sizes = {}
for kind = 0, 31 do sizes[kind] = SMALL_SIZE end
for kind, format in pairs(formats) do sizes[kind] = #pack(format, 0, 0, 0, 0, 0) end

-- The bytes of the state that begins at `at`; nil if none does.
local function size(bytes, at)
  local kind = byte(bytes, at)
  if kind == LOG and #bytes >= at + LOG_HEAD_SIZE - 1 then
    return LOG_HEAD_SIZE + LOG_ENTRY_SIZE * unp('>I2', bytes, at + LOG_HEAD_SIZE - 2)
  end
  return sizes[kind]
end

-- Whether the state of that length that begins at `at` may be forgotten. What is used, where it is in one number with the
-- life, is less than a second of it.
local function is_over(bytes, at, length, now)
  if length == SMALL_SIZE then
    local time, life = unp(SMALL, bytes, at)
    return time + life * (1000000 / 2 ^ 32) <= now
  end
  local kind, time, life = unp('>BI7I7', bytes, at)
  if kind == MORE then life = life / 2 ^ 32 end
  return time + life * 1000000 <= now
end

-- Whether a long log was read since this was last false.
local read_long_log = false

-- Reads no more entries than the first and the last: one that is not in order between them is dropped where it is met.
local function unpack_log(bytes)
  local _, time, _, used, count = unp(LOG_HEAD, bytes)
  if count > 0 then
    local first, last = unp(LOG_ENTRY, bytes, LOG_HEAD_SIZE + 1), unp(LOG_ENTRY, bytes, #bytes - LOG_ENTRY_SIZE + 1)
    if first > last or last > time then return nil end
  end
  if used < count or count == 0 and used > 0 then return nil end
  if count > SHORT_LOG then read_long_log = true end
  return time, used, {bytes = bytes, from = LOG_HEAD_SIZE + 1, to = #bytes, tail = ''}
end

-- The entries from one place on, forward or backward, until they make up a cost: where they end, and their cost.
local function entries_of(bytes, at, cost, step)
  local told = 0
  while told < cost and at > LOG_HEAD_SIZE and at < #bytes do
    local _, one = unp(LOG_ENTRY, bytes, at)
    told, at = told + one, at + step
  end
  return at, told
end

-- The state of a long log as of now, as short as tells a node what to say about costs of up to `cost` in all, and about
-- refunds of up to `refund`: the oldest entries that make up the one, the newest that make up the other, and those between
-- as one. What a caller has to wait for is the entry that makes room, and until all is back, the newest; so both know the
-- same. All of it, where that is simpler.
local function shorten_log(bytes, now, limit, cost, refund)
  local time, used, log = unpack_log(bytes)
  if not time or time > now or cost > SHORT_LOG or refund > SHORT_LOG then return bytes end
  local _
  _, time, used, log = limit.age(now, time, used, log)
  if used > limit.permits or log.to < log.from then return bytes end
  local past, first_cost = entries_of(bytes, log.from, cost, LOG_ENTRY_SIZE)
  local last, last_cost = entries_of(bytes, log.to - LOG_ENTRY_SIZE + 1, refund, -LOG_ENTRY_SIZE)
  if last <= past then return bytes end
  local first = sub(bytes, log.from, past - 1) -- of those between, the last one's time, and the cost of all
  first = first .. pack(LOG_ENTRY, unp(LOG_ENTRY, bytes, last), used - first_cost - last_cost)
  local entries = first .. sub(bytes, last + LOG_ENTRY_SIZE)
  return pack(LOG_HEAD, LOG, time, 0, used, #entries / LOG_ENTRY_SIZE) .. entries
end

-- Time, used and more of a state; nil if the bytes, if there are any, are not one.
local function unpack_state(bytes)
  if not bytes or size(bytes, 1) ~= #bytes then return nil end
  local kind = byte(bytes)
  if kind < MORE then
    local time, life = unp(SMALL, bytes)
    return time, life % 2 ^ 32
  end
  if kind == LOG then return unpack_log(bytes) end
  local _, time, life, used, before = unp(formats[kind], bytes)
  if kind == MORE then return time, life % 2 ^ 32, used end
  return time, used, kind == WIDE_MORE and before or nil
end

local function pack_state(time, used, more, life)
  if type(more) == 'table' then
    local count = (more.to - more.from + 1 + #more.tail) / LOG_ENTRY_SIZE
    return pack(LOG_HEAD, LOG, time, life, used, count) .. sub(more.bytes, more.from, more.to) .. more.tail
  end
  more = more or 0
  if used < 2 ^ 32 and more < 2 ^ 32 and life < 2 ^ 21 then
    if more == 0 then return pack(SMALL, time, life * 2 ^ 32 + used) end
    return pack(formats[MORE], MORE, time, life * 2 ^ 32 + used, more)
  end
  if more == 0 then return pack(formats[WIDE], WIDE, time, life, used) end
  return pack(formats[WIDE_MORE], WIDE_MORE, time, life, used, more)
end
