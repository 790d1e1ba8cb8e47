-- The ledger of one rule's regions: a hash with a field for each region and for each node.
-- Shares are in thousandths; what is held or used is in millionths of the limit; times are in milliseconds.
--
-- A region holds its share, or more: the largest share that one of its nodes may enforce, and what is still out of what
-- it gave out under a larger one. What is out is known in two ways, and the smaller is right: from the time that passed
-- (buckets drain at the rate of the share; what was used in windows is back when they are over, so the largest share of
-- this and the last stretch of that length counts), and from what its nodes say they gave out. A bucket's share is lowered
-- to half of what is out at most, since it remembers debts only up to its size.
local key = KEYS[1]
local region, node = ARGV[1], ARGV[2]
local nodes, applied, demand, used = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local wish, back, drains = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9] == '1'
local silent, leaving, rest = tonumber(ARGV[10]), ARGV[11] == '1', tonumber(ARGV[12])
local max, min, ceil, floor = math.max, math.min, math.ceil, math.floor
local KEPT = 90 * 86400000
local FIELDS = {'share', 'held', 'used', 'time', 'begun', 'top', 'top_before', 'used_before'}

local now = tonumber(ARGV[13])
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
end
local bases, regions, crews = {}, {}, {}
for i = 14, #ARGV, 2 do bases[ARGV[i]] = tonumber(ARGV[i + 1]) end

local function numbers(text)
  local all = {}
  for number in string.gmatch(text, '%S+') do all[#all + 1] = tonumber(number) end
  return all
end

local stored = redis.call('HGETALL', key)
for i = 1, #stored, 2 do
  local kind, name, who = string.match(stored[i], '^(%a) (%S+) ?(%S*)$')
  local values = numbers(stored[i + 1])
  if kind == 'r' then
    local one = {}
    for n, field in ipairs(FIELDS) do one[field] = values[n] or 0 end
    regions[name] = one
  elseif kind == 'n' then
    crews[name] = crews[name] or {}
    crews[name][who] = {applied = values[1], demand = values[2], seen = values[3]}
  end
end

-- What no other region holds. One that never wrote holds what is written for it; what is written for nobody is held for
-- a region that is not named, until one writes.
local function free()
  local taken, unnamed = 0, not bases[region]
  for name, one in pairs(regions) do
    if name ~= region then taken = taken + one.held end
    if not bases[name] then unnamed = true end
  end
  for name, base in pairs(bases) do
    if name ~= region and not regions[name] then taken = taken + base * 1000 end
  end
  if not unnamed then taken = taken + rest * 1000 end
  return max(0, floor((1000000 - taken) / 1000))
end

-- A region that writes for the first time, or again since the ledger was lost, may have given out all it has.
local mine = regions[region]
if not mine then
  local share = applied
  if share == 0 then share = bases[region] or min(rest, free()) end
  mine = {share = share, held = share * 1000, used = share * 1000, time = now, begun = now, top = share,
    top_before = share, used_before = 0}
  regions[region] = mine
end
if applied == 0 then applied = mine.share end

-- Its other nodes. Those that have fallen silent still enforce what they last had, unless the store knows no more nodes
-- than speak here: then they are gone.
local crew, speaking = crews[region] or {}, 0
crews[region] = crew
crew[node] = nil
for _, one in pairs(crew) do
  if now - one.seen <= silent then speaking = speaking + 1 end
end
if not leaving then speaking = speaking + 1 end
local top, low = 0, mine.share
if not leaving then top, low = applied, min(low, applied) end
local gone = {}
for who, one in pairs(crew) do
  if now - one.seen > silent and speaking >= nodes then
    gone[#gone + 1] = who
    mine.used = max(mine.used, one.applied * 1000)
  else
    top, low = max(top, one.applied), min(low, one.applied)
  end
end
for _, who in ipairs(gone) do
  crew[who] = nil
  redis.call('HDEL', key, 'n ' .. region .. ' ' .. who)
end

-- What is still out.
local out
if drains then
  local drained = low * 1000 * max(0, now - mine.time) / back
  out = mine.held - drained
  mine.used = max(0, mine.used - drained) + used
else
  if now - mine.begun >= back then
    mine.used_before = now - mine.begun < 2 * back and mine.used or 0
    mine.top_before, mine.top, mine.used, mine.begun = mine.top, 0, 0, now
  end
  mine.top = max(mine.top, top)
  mine.used = mine.used + used
  out = max(mine.top, mine.top_before) * 1000
end
mine.used = min(ceil(mine.used), mine.held)
out = min(out, mine.used + mine.used_before)
mine.time = now

if wish > mine.share then
  mine.share = max(mine.share, min(wish, free()))
elseif wish >= 0 then
  mine.share = min(mine.share, max(wish, drains and ceil(out / 2000) or 0))
end
-- Until the node tells more, it may enforce what it did and what it is told now.
if not leaving then
  local most = max(applied, mine.share)
  crew[node] = {applied = most, demand = demand, seen = now}
  redis.call('HSET', key, 'n ' .. region .. ' ' .. node, string.format('%d %d %d', most, demand, now))
else
  redis.call('HDEL', key, 'n ' .. region .. ' ' .. node)
end
mine.held = ceil(max(out, top * 1000, mine.share * 1000))
mine.top = max(mine.top, mine.share)

local values = {}
for n, field in ipairs(FIELDS) do values[n] = string.format('%d', mine[field]) end
redis.call('HSET', key, 'r ' .. region, table.concat(values, ' '))
redis.call('PEXPIRE', key, KEPT)

-- The share, then of each region: name, share, held, whether a node of it speaks, demand.
local lines = {string.format('%d', mine.share)}
for name, one in pairs(regions) do
  local live, sum = 0, 0
  for _, other in pairs(crews[name] or {}) do
    if now - other.seen <= silent then live, sum = 1, sum + other.demand end
  end
  lines[#lines + 1] = string.format('%s %d %d %d %d', name, one.share, ceil(one.held / 1000), live, sum)
end
return table.concat(lines, '\n')
