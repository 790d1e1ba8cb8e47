-- A state as bytes, and back; Packed.java reads the same.
--   kind    (1)  which numbers follow and how wide; never a printable character, so no text is taken for a state
--   second  (4)  from which on it may be forgotten: all that whoever sweeps needs to know
--   delta        from the state's time to that second, in microseconds: 5 bytes (twelve days), or 7
--   used         4 bytes, or 7
--   before       none, 4 bytes, or 7
-- A log has instead its delta (7), the number of its entries (2), and per entry its age as of the state's time (7) and
-- its cost (3).
local byte, sub, find, pack, unp = string.byte, string.sub, string.find, struct.pack, struct.unpack
local LOG = 192
local LATEST = (2 ^ 32 - 1) * 1000000 -- debts may be due after 2106, which four bytes cannot say
local formats, sizes = {}, {}
for first, before in pairs({[128] = '', [132] = 'I4', [140] = 'I7'}) do
  for kind = first, first + 3 do
    formats[kind] = '<BI4' .. (kind % 2 == 1 and 'I7' or 'I5') .. (kind % 4 >= 2 and 'I7' or 'I4') .. before
    sizes[kind] = #pack(formats[kind], 0, 0, 0, 0, 0)
  end
end

local SMALL, SMALL_SIZE = formats[128], sizes[128] -- as most are

-- The bytes of the state that begins at `at`; nil if none does.
local function size(bytes, at)
  local kind = byte(bytes, at)
  if kind == LOG and #bytes >= at + 13 then return 14 + 10 * unp('<I2', bytes, at + 12) end
  return sizes[kind]
end

local function unpack_log(bytes)
  local _, second, delta, count = unp('<BI4I7I2', bytes)
  local time, used, entries, last = second * 1000000 - delta, 0, {}, 0
  for i = 1, count do
    local age, cost = unp('<I7I3', bytes, 5 + 10 * i)
    if time - age < last or cost == 0 then return nil end
    last = time - age
    entries[2 * i - 1], entries[2 * i] = last, cost
    used = used + cost
  end
  return time, used, entries
end

-- Time, used and more of a state; nil if the bytes, if there are any, are not one.
local function unpack_state(bytes)
  if not bytes then return nil end
  if #bytes == SMALL_SIZE then
    local kind, second, delta, used = unp(SMALL, bytes)
    if kind == 128 then return second * 1000000 - delta, used, 0 end
  end
  local kind = byte(bytes)
  if sizes[kind] == #bytes then
    local _, second, delta, used, before = unp(formats[kind], bytes)
    return second * 1000000 - delta, used, kind > 131 and before or 0
  end
  if kind == LOG and size(bytes, 1) == #bytes then return unpack_log(bytes) end
end

local function pack_state(time, used, more, forgettable)
  local whole = forgettable + 999999
  whole = whole - whole % 1000000
  local delta = whole - time
  if more == 0 and delta < 2 ^ 40 and used < 2 ^ 32 and whole < LATEST then
    return pack(SMALL, 128, whole / 1000000, delta, used)
  end
  local kind = 128
  if whole > LATEST then whole, delta = LATEST, LATEST - time end
  if more ~= 0 then
    if type(more) == 'table' then
      local parts = {pack('<BI4I7I2', LOG, whole / 1000000, delta, #more / 2)}
      for i = 1, #more, 2 do parts[#parts + 1] = pack('<I7I3', time - more[i], more[i + 1]) end
      return table.concat(parts)
    end
    kind = more < 2 ^ 32 and 132 or 140
  end
  if delta >= 2 ^ 40 then kind = kind + 1 end
  if used >= 2 ^ 32 then kind = kind + 2 end
  return pack(formats[kind], kind, whole / 1000000, delta, used, more)
end
