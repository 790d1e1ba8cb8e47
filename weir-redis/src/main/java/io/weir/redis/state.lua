-- A state as bytes, and back; Packed.java reads the same.
--   kind    (1)  which numbers follow and how wide; never a printable character, so no text is taken for a state
--   second  (4)  from which on it may be forgotten: all that whoever sweeps needs to know
--   delta        from the state's time to that second, in microseconds: 4 bytes, or 7
--   used         4 bytes, or 7
--   before       none, 4 bytes, or 7
-- A log has instead its delta (7), the number of its entries (2), and per entry its age as of the state's time (7) and
-- its cost (3).
local byte, sub, find, pack, unp = string.byte, string.sub, string.find, struct.pack, struct.unpack
local NARROW, LOG = 2 ^ 32, 192
local formats, sizes = {}, {}
for kind = 128, 143 do
  local wide, used, more = kind % 2 >= 1, kind % 4 >= 2, kind % 8 >= 4
  local before = more and (kind >= 136 and 'I7' or 'I4') or ''
  formats[kind] = '<BI4' .. (wide and 'I7' or 'I4') .. (used and 'I7' or 'I4') .. before
  sizes[kind] = #pack(formats[kind], 0, 0, 0, 0, 0)
end

-- The bytes of the state that begins at `at`; nil if none does.
local function size(bytes, at)
  local kind = byte(bytes, at)
  if kind == LOG and #bytes >= at + 13 then return 14 + 10 * unp('<I2', bytes, at + 12) end
  return sizes[kind]
end

local function fresh(s)
  s.time, s.used, s.before, s.changed = 0, 0, 0, false
  if s.entries[1] then s.entries = {} end
end

local function unpack_log(bytes, s)
  local _, second, delta, count = unp('<BI4I7I2', bytes)
  local time, used, entries, last = second * 1000000 - delta, 0, {}, 0
  for i = 1, count do
    local age, cost = unp('<I7I3', bytes, 5 + 10 * i)
    if time - age < last or cost == 0 then return false end
    last = time - age
    entries[2 * i - 1], entries[2 * i] = last, cost
    used = used + cost
  end
  s.time, s.used, s.before, s.entries, s.changed = time, used, 0, entries, false
  return true
end

-- False if the bytes are not a state.
local function unpack_state(bytes, s)
  local kind = byte(bytes, 1)
  if size(bytes, 1) ~= #bytes then return false end
  if kind == LOG then return unpack_log(bytes, s) end
  local _, second, delta, used, before = unp(formats[kind], bytes)
  s.time, s.used, s.changed = second * 1000000 - delta, used, false
  s.before = kind % 8 >= 4 and before or 0
  if s.entries[1] then s.entries = {} end
  return true
end

local function pack_state(s, forgettable)
  local second = min(ceildiv(forgettable, 1000000), NARROW - 1)
  local delta, entries = second * 1000000 - s.time, s.entries
  if entries[1] and s.limit.algorithm.keeps_entries then
    local parts = {pack('<BI4I7I2', LOG, second, delta, #entries / 2)}
    for i = 1, #entries, 2 do parts[#parts + 1] = pack('<I7I3', s.time - entries[i], entries[i + 1]) end
    return table.concat(parts)
  end
  local kind, used, before = 128, s.used, s.before
  if delta >= NARROW then kind = kind + 1 end
  if used >= NARROW then kind = kind + 2 end
  if before > 0 then kind = kind + (before < NARROW and 4 or 12) end
  return pack(formats[kind], kind, second, delta, used, before)
end
