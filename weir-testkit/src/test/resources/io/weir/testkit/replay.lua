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
  local a, shadow = algorithms[word()], number() == 1
  limits[i] = {age = a.age, charge = a.charge, shadow = shadow,
    terms = terms_of(number(), number(), number(), number(), number(), number(), number(), number())}
end

local function copy(entries)
  if type(entries) ~= 'table' then return entries end
  local other = {}
  for i, n in ipairs(entries) do other[i] = n end
  return other
end

local stored, reply = {}, {}
local function say(n) reply[#reply + 1] = string.format('%.0f', n) end
while at < #words do
  local mode, now, when, count, claims = word(), number(), number(), number(), {}
  for i = 1, number() do
    local index, key, cost = number() + 1, word(), number()
    local counter = index .. '/' .. key
    local s = stored[counter] or {0, 0, 0}
    time[counter], used[counter], more[counter], reset[counter] = s[1], s[2], copy(s[3]), nil
    claims[i] = {limit = limits[index], counter = counter, cost = cost}
  end
  if #claims == 1 then
    local c = claims[1]
    local back, t, u, m = -- ageing may change entries in place
      decide_alone(c.limit, c.cost, count, mode, now, when, time[c.counter], used[c.counter], copy(more[c.counter]))
    if back then reset[c.counter], time[c.counter], used[c.counter], more[c.counter] = back, t, u, m end
  else
    decide(claims, #claims, count, mode, now, when)
  end
  for _, c in ipairs(claims) do
    local counter, l = c.counter, c.limit
    if reset[counter] then stored[counter] = {time[counter], used[counter], copy(more[counter])} end
    local left, t, u, m = l.age(l.terms, now, time[counter], used[counter], more[counter])
    say(left)
    say((l.charge(l.terms, now, now, 0, t, u, m)))
  end
end
return table.concat(reply, ' ')
