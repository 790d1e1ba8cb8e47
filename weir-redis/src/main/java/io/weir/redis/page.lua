-- A page is one field of a shelf that holds many counters: a mark, then per counter the rest of its key and its state.
-- The mark says whether all states are of the common size, so that what is found by its key need not be counted off.
local ALIKE, MIXED, COMMON = '\1', '\2', SMALL_SIZE

-- Where the counter's state is on the page, from and to; nil if it is not there, false if the page is corrupt.
local function locate(page, rest)
  local mark, skip = byte(page), #rest
  local hit = find(page, rest, 2, true)
  if mark == 1 then
    local stride = skip + COMMON
    if (#page - 1) % stride ~= 0 then return false end
    while hit and (hit - 2) % stride ~= 0 do hit = find(page, rest, hit + 1, true) end -- part of a state
    if not hit then return nil end
    return hit + skip, hit + stride - 1
  end
  if mark ~= 2 then return false end
  local at = 2
  while hit do
    while at < hit do
      local length = size(page, at + skip)
      if not length then return false end
      at = at + skip + length
    end
    if at == hit then
      local length = size(page, at + skip)
      if not length then return false end
      return at + skip, at + skip + length - 1
    end
    hit = find(page, rest, at, true)
  end
end

-- The page with the counter's new state, which was found there from and to, and whether others on it have moved.
local function put(page, rest, bytes, from, to)
  local mark = #bytes == COMMON and ALIKE or MIXED
  if not page or from == false then return mark .. rest .. bytes, true end
  if byte(page) == 2 then mark = MIXED end
  if not from then return mark .. sub(page, 2) .. rest .. bytes, false end
  if #bytes == to - from + 1 then return sub(page, 1, from - 1) .. bytes .. sub(page, to + 1), false end
  return mark .. sub(page, 2, from - 1) .. bytes .. sub(page, to + 1), true
end

-- The page without the counters that may be forgotten, and how many it had and has.
local function tidy(page, skip, now)
  local mark, kept, at, had, alike = byte(page), {}, 2, 0, true
  while at <= #page do
    local length = mark == 1 and COMMON or mark == 2 and size(page, at + skip)
    local past = length and at + skip + length
    if not past or past > #page + 1 then break end -- the rest is corrupt
    had = had + 1
    if not is_over(page, at + skip, length, now) then
      kept[#kept + 1], alike = sub(page, at, past - 1), alike and length == COMMON
    end
    at = past
  end
  if #kept == had and at == #page + 1 then return page, had, had end
  return (alike and ALIKE or MIXED) .. table.concat(kept), had, #kept
end
