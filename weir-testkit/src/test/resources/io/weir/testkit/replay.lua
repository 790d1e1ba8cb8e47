-- Plays a whole history in one call: limits, then decisions over them. States live in this call only.
-- ARGV[1] = words: the number of limits; per limit algorithm, shadow (1 or 0) and its terms; then per decision
-- mode, now, when, how many equal requests, the number of claims, and per claim limit, key, cost.
-- Answers per decision how many were granted where it took, and per claim the room left and the time until all of it is back.
local words, at = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do words[#words + 1] = word end
local function word() at = at + 1; return words[at] end
local function number() return tonumber(word()) end

local limits = {}
for i = 1, number() do
  local name = word()
  limits[i] = {algorithm = algorithms[name], shadow = number() == 1,
    terms = terms_of(number(), number(), number(), number(), number(), number(), number(), number())}
end

local function copy(s)
  local entries = {}
  for i, n in ipairs(s.entries) do entries[i] = n end
  return {time = s.time, used = s.used, before = s.before, entries = entries}
end

local states, reply = {}, {}
local function say(n) reply[#reply + 1] = string.format('%.0f', n) end
while at < #words do
  local mode, now, when, count, claims, loaded = word(), number(), number(), number(), {}, {}
  for i = 1, number() do
    local index, key, cost = number() + 1, word(), number()
    local id = index .. '/' .. key
    loaded[id] = loaded[id] or copy(states[id] or {time = 0, used = 0, before = 0, entries = {}})
    claims[i] = {limit = limits[index], state = loaded[id], cost = cost}
  end
  local granted = decide(claims, #claims, count, mode, now, when)
  if mode == 'take' then say(granted) end
  for id, state in pairs(loaded) do if state.changed then states[id] = state end end
  for _, c in ipairs(claims) do
    local a, t = c.limit.algorithm, c.limit.terms
    say(a.room(t, c.state, now))
    say(a.wait(t, c.state, now, t.burst))
  end
end
return table.concat(reply, ' ')
