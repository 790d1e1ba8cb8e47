-- Plays a whole history in one call: limits, then decisions over them. States live in this call only.
-- ARGV[1] = words: the number of limits; per limit algorithm, shadow (1 or 0) and its terms; then per decision
-- mode, now, when, how many equal requests, the number of claims, and per claim limit, key, cost.
-- Answers per claim with the room left and the time until all of it is back.
local words, at = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do words[#words + 1] = word end
local function word() at = at + 1; return words[at] end
local function number() return tonumber(word()) end

local limits = {}
for i = 1, number() do
  local algorithm, shadow = word(), number() == 1
  limits[i] = limit_of(algorithm,
    terms_of(number(), number(), number(), number(), number(), number(), number(), number()), shadow)
end

local function copy(log) -- as it would be stored
  if type(log) ~= 'table' then return log end
  local bytes = string.sub(log.bytes, log.from, log.to) .. log.tail
  return {bytes = bytes, from = 1, to = #bytes, tail = ''}
end

local stored, reply = {}, {}
local function say(n) reply[#reply + 1] = string.format('%.0f', n) end
while at < #words do
  local mode, now, when, count, claims, states = word(), number(), number(), number(), {}, {}
  for i = 1, number() do
    local index, key, cost = number() + 1, word(), number()
    local counter = index .. '/' .. key
    local s = stored[counter] or {0, 0}
    states[counter] = states[counter] or without_notes({}, s[1], s[2], copy(s[3]))
    claims[i] = {limit = limits[index], counter = counter, state = states[counter], cost = cost}
  end
  local only = #claims == 1 and mode == 'take' and claims[1].state
  local taken = only and {claims[1].limit.take(now, count * claims[1].cost, only.time, only.used, copy(only.more))}
  decide(claims, #claims, count, mode, now, when)
  if taken and taken[1] then
    assert(taken[1] == only.reset and taken[2] == only.time and taken[3] == only.used, 'taken in one go it differs')
  end
  for _, c in ipairs(claims) do
    local s, l = c.state, c.limit
    if s.reset then stored[c.counter] = {s.time, s.used, copy(s.more)} end
    local left, t, u, m = l.age(now, s.time, s.used, s.more)
    say(left)
    say((l.charge(now, now, 0, t, u, m)))
  end
end
return table.concat(reply, ' ')
