-- A state as bytes, and back; Packed.java reads the same.
--   time      (7)  in microseconds
--   life      (7)  until it may be forgotten, in seconds from its time on: all that whoever sweeps needs to know;
--                  unless wide, 2^32 times that, plus what is used
-- That is all of nearly every state. Others begin with their kind (1), and have more behind:
--   MORE           before (4)
--   WIDE           used (7)
--   WIDE_MORE      used (7) and before (7)
--   LOG            the number of its entries (2), and per entry its age as of the state's time (7) and its cost (3)
-- The first byte of a time is below 32, as times are below 2^53, and kinds are above 127: no text is taken for a state.
local byte, sub, find, pack, unp = string.byte, string.sub, string.find, struct.pack, struct.unpack
local SMALL, SMALL_SIZE = '>I7I7', 14
local MORE, WIDE, WIDE_MORE, LOG = 128, 129, 130, 192
local formats = {[MORE] = '>BI7I7I4', [WIDE] = '>BI7I7I7', [WIDE_MORE] = '>BI7I7I7I7'}
local sizes = {}
for kind = 0, 31 do sizes[kind] = SMALL_SIZE end
for kind, format in pairs(formats) do sizes[kind] = #pack(format, 0, 0, 0, 0, 0) end

-- The bytes of the state that begins at `at`; nil if none does.
local function size(bytes, at)
  local kind = byte(bytes, at)
  if kind == LOG and #bytes >= at + 16 then return 17 + 10 * unp('>I2', bytes, at + 15) end
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

local function unpack_log(bytes)
  local _, time, _, count = unp('>BI7I7I2', bytes)
  local used, entries, last = 0, {}, 0
  for i = 1, count do
    local age, cost = unp('>I7I3', bytes, 8 + 10 * i)
    if time - age < last or cost == 0 then return nil end
    last = time - age
    entries[2 * i - 1], entries[2 * i] = last, cost
    used = used + cost
  end
  return time, used, entries
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
    local parts = {pack('>BI7I7I2', LOG, time, life, #more / 2)}
    for i = 1, #more, 2 do parts[#parts + 1] = pack('>I7I3', time - more[i], more[i + 1]) end
    return table.concat(parts)
  end
  more = more or 0
  if used < 2 ^ 32 and more < 2 ^ 32 and life < 2 ^ 21 then
    if more == 0 then return pack(SMALL, time, life * 2 ^ 32 + used) end
    return pack(formats[MORE], MORE, time, life * 2 ^ 32 + used, more)
  end
  if more == 0 then return pack(formats[WIDE], WIDE, time, life, used) end
  return pack(formats[WIDE_MORE], WIDE_MORE, time, life, used, more)
end
