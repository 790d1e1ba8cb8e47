-- A packed bucket is one field of a shard that holds many counters: a tag, then per counter its key suffix and its state.
-- The tag says whether all states have the common size, so that a counter can be found without walking the others.
local UNIFORM, MIXED, COMMON_SIZE = '\1', '\2', SMALL_SIZE

-- Returns the first and last position of the counter's state in the bucket; nil if absent, false if the bucket is corrupt.
local function locate(bucket, suffix)
  local tag, suffix_size = byte(bucket), #suffix
  local hit = find(bucket, suffix, 2, true)
  if tag == 1 then
    local stride = suffix_size + COMMON_SIZE
    if (#bucket - 1) % stride ~= 0 then return false end
    while hit and (hit - 2) % stride ~= 0 do hit = find(bucket, suffix, hit + 1, true) end -- matched inside a state
    if not hit then return nil end
    return hit + suffix_size, hit + stride - 1
  end
  if tag ~= 2 then return false end
  local at = 2
  while hit do
    while at < hit do
      local length = state_size(bucket, at + suffix_size)
      if not length then return false end
      at = at + suffix_size + length
    end
    if at == hit then
      local length = state_size(bucket, at + suffix_size)
      if not length then return false end
      return at + suffix_size, at + suffix_size + length - 1
    end
    hit = find(bucket, suffix, at, true)
  end
end

-- Returns the bucket with the counter's new state, whose old state is at `from` to `to`, and whether other counters moved.
local function replace_state(bucket, suffix, bytes, from, to)
  local tag = #bytes == COMMON_SIZE and UNIFORM or MIXED
  if not bucket or from == false then return tag .. suffix .. bytes, true end
  if byte(bucket) == 2 then tag = MIXED end
  if not from then return tag .. sub(bucket, 2) .. suffix .. bytes, false end
  if #bytes == to - from + 1 then return sub(bucket, 1, from - 1) .. bytes .. sub(bucket, to + 1), false end
  return tag .. sub(bucket, 2, from - 1) .. bytes .. sub(bucket, to + 1), true
end

-- Returns the bucket without its expired counters, and how many counters it had and has.
local function remove_expired(bucket, suffix_size, now)
  local tag, kept, at, had, uniform = byte(bucket), {}, 2, 0, true
  while at <= #bucket do
    local length = tag == 1 and COMMON_SIZE or tag == 2 and state_size(bucket, at + suffix_size)
    local past = length and at + suffix_size + length
    if not past or past > #bucket + 1 then break end -- the rest is corrupt
    had = had + 1
    if not is_expired(bucket, at + suffix_size, length, now) then
      kept[#kept + 1], uniform = sub(bucket, at, past - 1), uniform and length == COMMON_SIZE
    end
    at = past
  end
  if #kept == had and at == #bucket + 1 then return bucket, had, had end
  return (uniform and UNIFORM or MIXED) .. table.concat(kept), had, #kept
end
