-- Replays a whole history in one call: limits, then decisions on them. States live only during this call.
-- ARGV[1] is a list of words: the number of limits; per limit its algorithm, flags (1 for shadow, plus 2 for deferred) and parameters; then per decision
-- the operation, now, when, the number of equal requests, the number of claims, and per claim limit, key, cost.
-- Replies per claim with the permits available afterwards and the time until all of them are back.
local words, at = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do words[#words + 1] = word end
local function next_word() at = at + 1; return words[at] end
local function next_number() return tonumber(next_word()) end

local limits = {}
for i = 1, next_number() do
  local algorithm, flags = next_word(), next_number()
  limits[i] = new_limit(algorithm,
    limit_parameters(next_number(), next_number(), next_number(), next_number(), next_number(), next_number(),
      next_number(), next_number()), flags % 2 == 1, flags >= 2)
end

local function copy_log(log) -- as it would be stored
  if type(log) ~= 'table' then return log end
  local bytes = string.sub(log.bytes, log.from, log.to) .. log.tail
  return {bytes = bytes, from = 1, to = #bytes, tail = ''}
end

local stored, reply = {}, {}
local function append(n) reply[#reply + 1] = string.format('%.0f', n) end
while at < #words do
  local operation, now, when, count, claims, states = next_word(), next_number(), next_number(), next_number(), {}, {}
  for i = 1, next_number() do
    local index, key, cost = next_number() + 1, next_word(), next_number()
    local counter = index .. '/' .. key
    local s = stored[counter] or {0, 0}
    states[counter] = states[counter] or set_state({}, s[1], s[2], copy_log(s[3]))
    claims[i] = {limit = limits[index], counter = counter, state = states[counter], cost = cost}
  end
  local only = #claims == 1 and operation == 'take' and claims[1].state
  local taken = only and {claims[1].limit.take(now, count * claims[1].cost, only.time, only.used, copy_log(only.extra))}
  decide(claims, #claims, count, operation, now, when)
  if taken and taken[1] then
    assert(taken[1] == only.reset and taken[2] == only.time and taken[3] == only.used, 'take differs from advance and charge')
  end
  for _, c in ipairs(claims) do
    local s, l = c.state, c.limit
    if s.reset then stored[c.counter] = {s.time, s.used, copy_log(s.extra)} end
    local available, t, u, e = l.advance(now, s.time, s.used, s.extra)
    append(available)
    append((l.charge(now, now, 0, t, u, e)))
  end
end
return table.concat(reply, ' ')
