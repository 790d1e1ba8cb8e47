-- The ledger of one rule's regions: a hash with a field for each region ('r name') and for each node ('n region node').
-- Shares are in thousandths of the limit; reserved and used amounts in millionths of the limit; times in milliseconds.
--
-- A region reserves its share, or more: the largest share that one of its nodes may enforce, and the outstanding part of what
-- it granted under a larger one. The outstanding part is known in two ways, and the smaller one is right: from the time that
-- passed (buckets drain at the rate of the share; what was used in windows is back when they are over, so the largest share of
-- this and the last stretch of that length counts), and from what its nodes report as granted. A bucket's share is lowered to
-- half of the outstanding part at most, since it remembers debts only up to its size.
local key = KEYS[1]
local region, node = ARGV[1], ARGV[2]
local node_count, applied, demand, used = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local requested, recovery_time, drains = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9] == '1'
local silence_timeout, leaving, unassigned = tonumber(ARGV[10]), ARGV[11] == '1', tonumber(ARGV[12])
local max, min, ceil, floor = math.max, math.min, math.ceil, math.floor
local TTL_MS = 90 * 86400000
-- The fields of a region, in the order in which they are stored.
local FIELDS = {'share', 'reserved', 'used', 'time', 'stretch_start', 'max_share', 'previous_max_share', 'previous_used'}

local now = tonumber(ARGV[13])
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
end
local base_shares, regions, nodes_of = {}, {}, {}
for i = 14, #ARGV, 2 do base_shares[ARGV[i]] = tonumber(ARGV[i + 1]) end

local function numbers(text)
  local all = {}
  for number in string.gmatch(text, '%S+') do all[#all + 1] = tonumber(number) end
  return all
end

local stored = redis.call('HGETALL', key)
for i = 1, #stored, 2 do
  local kind, region_name, node_name = string.match(stored[i], '^(%a) (%S+) ?(%S*)$')
  local values = numbers(stored[i + 1])
  if kind == 'r' then
    local one = {}
    for n, field in ipairs(FIELDS) do one[field] = values[n] or 0 end
    regions[region_name] = one
  elseif kind == 'n' then
    nodes_of[region_name] = nodes_of[region_name] or {}
    nodes_of[region_name][node_name] = {applied = values[1], demand = values[2], seen = values[3]}
  end
end

-- Returns the share that no other region reserves. A region that never reported reserves its configured share; the unassigned
-- share is reserved for a region without a configured share, until one reports.
local function free_share()
  local reserved, has_unconfigured = 0, not base_shares[region]
  for name, one in pairs(regions) do
    if name ~= region then reserved = reserved + one.reserved end
    if not base_shares[name] then has_unconfigured = true end
  end
  for name, base in pairs(base_shares) do
    if name ~= region and not regions[name] then reserved = reserved + base * 1000 end
  end
  if not has_unconfigured then reserved = reserved + unassigned * 1000 end
  return max(0, floor((1000000 - reserved) / 1000))
end

-- A region that reports for the first time, or again after the ledger was lost, may have granted its whole share.
local own = regions[region]
if not own then
  local share = applied
  if share == 0 then share = base_shares[region] or min(unassigned, free_share()) end
  own = {share = share, reserved = share * 1000, used = share * 1000, time = now, stretch_start = now, max_share = share,
    previous_max_share = share, previous_used = 0}
  regions[region] = own
end
if applied == 0 then applied = own.share end

-- The other nodes of the region. Silent nodes still enforce the share they had last, unless the store knows no more nodes than
-- report here: then the silent ones are gone.
local peers, reporting = nodes_of[region] or {}, 0
nodes_of[region] = peers
peers[node] = nil
for _, one in pairs(peers) do
  if now - one.seen <= silence_timeout then reporting = reporting + 1 end
end
if not leaving then reporting = reporting + 1 end
local highest, lowest = 0, own.share
if not leaving then highest, lowest = applied, min(lowest, applied) end
local gone = {}
for name, one in pairs(peers) do
  if now - one.seen > silence_timeout and reporting >= node_count then
    gone[#gone + 1] = name
    own.used = max(own.used, one.applied * 1000)
  else
    highest, lowest = max(highest, one.applied), min(lowest, one.applied)
  end
end
for _, name in ipairs(gone) do
  peers[name] = nil
  redis.call('HDEL', key, 'n ' .. region .. ' ' .. name)
end

-- The outstanding part.
local outstanding
if drains then
  local drained = lowest * 1000 * max(0, now - own.time) / recovery_time
  outstanding = own.reserved - drained
  own.used = max(0, own.used - drained) + used
else
  if now - own.stretch_start >= recovery_time then
    own.previous_used = now - own.stretch_start < 2 * recovery_time and own.used or 0
    own.previous_max_share, own.max_share, own.used, own.stretch_start = own.max_share, 0, 0, now
  end
  own.max_share = max(own.max_share, highest)
  own.used = own.used + used
  outstanding = max(own.max_share, own.previous_max_share) * 1000
end
own.used = min(ceil(own.used), own.reserved)
outstanding = min(outstanding, own.used + own.previous_used)
own.time = now

if requested > own.share then
  own.share = max(own.share, min(requested, free_share()))
elseif requested >= 0 then
  own.share = min(own.share, max(requested, drains and ceil(outstanding / 2000) or 0))
end
-- Until its next report the node may enforce the share it had and the share it is assigned now.
if not leaving then
  local enforced = max(applied, own.share)
  peers[node] = {applied = enforced, demand = demand, seen = now}
  redis.call('HSET', key, 'n ' .. region .. ' ' .. node, string.format('%d %d %d', enforced, demand, now))
else
  redis.call('HDEL', key, 'n ' .. region .. ' ' .. node)
end
own.reserved = ceil(max(outstanding, highest * 1000, own.share * 1000))
own.max_share = max(own.max_share, own.share)

local values = {}
for n, field in ipairs(FIELDS) do values[n] = string.format('%d', own[field]) end
redis.call('HSET', key, 'r ' .. region, table.concat(values, ' '))
redis.call('PEXPIRE', key, TTL_MS)

-- The assigned share, then one line per region: name, share, reserved share, whether one of its nodes reports, demand.
local lines = {string.format('%d', own.share)}
for name, one in pairs(regions) do
  local live, sum = 0, 0
  for _, other in pairs(nodes_of[name] or {}) do
    if now - other.seen <= silence_timeout then live, sum = 1, sum + other.demand end
  end
  lines[#lines + 1] = string.format('%s %d %d %d %d', name, one.share, ceil(one.reserved / 1000), live, sum)
end
return table.concat(lines, '\n')
