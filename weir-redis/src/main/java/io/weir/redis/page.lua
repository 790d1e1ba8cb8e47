-- A page is one field of a shelf and holds counters: the rest of each one's key, then its state. Cut after all 8 bytes
-- of a key nothing is left of it and a page holds one counter.

-- Where the counter's state is on the page, from and to; nil if it is not there, false if the page is corrupt.
local function locate(page, rest)
  local skip = #rest
  local at, hit = 1, find(page, rest, 1, true)
  while hit do
    while at < hit do -- what looks like the key may be part of a state
      local length = size(page, at + skip)
      if not length then return false end
      at = at + skip + length
    end
    if at == hit then
      local length = size(page, at + skip)
      return length and at + skip or false, length and at + skip + length - 1
    end
    hit = find(page, rest, at, true)
  end
end

-- The page without the counters that may be forgotten, whether any is left, and whether the page was corrupt.
local function tidy(page, skip, now)
  local parts, at, corrupt = {}, 1, false
  while at <= #page do
    local length = size(page, at + skip)
    local past = length and at + skip + length
    corrupt = not past or past > #page + 1
    if corrupt then break end
    if unp('<I4', page, at + skip + 1) * 1000000 > now then
      parts[#parts + 1] = sub(page, at, past - 1)
    end
    at = past
  end
  return table.concat(parts), parts[1] ~= nil, corrupt
end

-- The page with the counter's new state, and whether it was corrupt and had to be begun anew.
local function put(page, rest, bytes, now)
  if rest == '' then return bytes end
  local from, to = locate(page, rest)
  if from then return sub(page, 1, from - 1) .. bytes .. sub(page, to + 1) end
  local kept, _, corrupt = tidy(page, #rest, now)
  return kept .. rest .. bytes, corrupt
end
