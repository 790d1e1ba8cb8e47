-- The decision, once for every algorithm: look at all claims, then charge all or none. The twin of Decide.java.
-- A claim asks a cost of a counter under a limit {age, charge, wait, terms, shadow}. Equal requests may ask at once: as
-- many of them are granted as would be one after the other.

-- The counters' states, and notes on them: the permits that fit, what the claims looked at ask for together, and the
-- limit of those that must be stored.
local time, used, more, room, pending, changed = {}, {}, {}, {}, {}, {}

-- Looks at a claim: how many of the equal requests still wanted it has room for, beside those looked at before.
local function look(limit, counter, cost, wanted, now)
  local asked = pending[counter]
  if asked then
    asked = asked + cost
  else
    local before = time[counter]
    if before > now then changed[counter] = limit end -- it follows a clock that stepped back
    room[counter], time[counter], used[counter], more[counter] =
      limit.age(limit.terms, now, before, used[counter], more[counter])
    asked = cost
  end
  pending[counter] = asked
  local fits = room[counter]
  if wanted * asked <= fits or limit.shadow then return wanted end
  return (fits - fits % asked) / asked
end

-- Charges a claim that was looked at, as the mode (take | peek | force | refund) says.
local function settle(limit, counter, cost, granted, count, mode, when)
  pending[counter] = false
  if mode ~= 'take' then
    granted = mode == 'peek' and 0 or count
  elseif granted * cost > room[counter] then
    granted = (room[counter] - room[counter] % cost) / cost -- a shadow rule's
  end
  if granted > 0 then
    cost = granted * cost
    room[counter], changed[counter] = room[counter] - cost, limit
    time[counter], used[counter], more[counter] =
      limit.charge(limit.terms, when, mode == 'refund' and -cost or cost, time[counter], used[counter], more[counter])
  end
end

-- Decides on `count` equal requests: the first `size` claims, each {limit, counter, cost}.
local function decide(claims, size, count, mode, now, when)
  local granted = count
  for i = 1, size do
    local c = claims[i]
    granted = look(c.limit, c.counter, c.cost, granted, now)
  end
  for i = 1, size do
    local c = claims[i]
    settle(c.limit, c.counter, c.cost, granted, count, mode, when)
  end
end

-- The same for a claim that is alone, as most are.
local function decide_one(limit, counter, cost, count, mode, now, when)
  local terms, before, granted = limit.terms, time[counter], count
  local fits, t, u, m = limit.age(terms, now, before, used[counter], more[counter])
  if before > now then changed[counter] = limit end
  if mode == 'take' then
    if count * cost > fits then granted = (fits - fits % cost) / cost end
  elseif mode == 'peek' then
    granted = 0
  end
  if granted > 0 then
    changed[counter] = limit
    t, u, m = limit.charge(terms, when, mode == 'refund' and -granted * cost or granted * cost, t, u, m)
  end
  time[counter], used[counter], more[counter] = t, u, m
end
