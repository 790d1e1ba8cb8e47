-- Plays a whole history in one call: limits, then decisions over them. States live in this call only.
-- ARGV[1] = words: the number of limits; per limit algorithm, shadow (1 or 0) and its terms; then per decision
-- mode, now, when, the number of claims, and per claim limit, key, cost.
local words, at = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do words[#words + 1] = word end
local function word() at = at + 1; return words[at] end
local function number() return tonumber(word()) end

local limits = {}
for i = 1, number() do
  local name = word()
  limits[i] = {algorithm = algorithms[name], shadow = number() == 1,
    terms = {permits = number(), period = number(), burst = number(), cool_down = number(),
             unit = number(), p = number(), q = number(), slices = number()}}
end

local function copy(s)
  local entries = {}
  for i, n in ipairs(s.entries) do entries[i] = n end
  return {time = s.time, used = s.used, before = s.before, entries = entries}
end

local states, reply = {}, {}
while at < #words do
  local mode, now, when, claims, loaded = word(), number(), number(), {}, {}
  for i = 1, number() do
    local index, key, cost = number() + 1, word(), number()
    local id = index .. '/' .. key
    loaded[id] = loaded[id] or copy(states[id] or {time = 0, used = 0, before = 0, entries = {}})
    local limit = limits[index]
    claims[i] = {algorithm = limit.algorithm, shadow = limit.shadow, terms = limit.terms, state = loaded[id], cost = cost}
  end
  local outcomes = decide(claims, mode, now, when)
  for id, state in pairs(loaded) do if state.changed then states[id] = state end end
  for _, n in ipairs(outcomes) do reply[#reply + 1] = string.format('%.0f', n) end
end
return table.concat(reply, ' ')
