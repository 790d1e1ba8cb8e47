-- The decision, once for every algorithm: look at all claims, then charge all or none. The twin of Decide.java.
-- A claim asks a cost of a state under a limit {age, charge, shadow}. Equal requests may ask at once: as many of them are
-- granted as would be one after the other. Modes: take | peek | force | lease | refund.

-- A state {time, used, more} has notes on it: the permits that fit (room), under which limit (requests may be held to
-- rates of their own), what the claims looked at ask for together (pending), whether it must be stored even if nothing is
-- charged (behind): it follows a clock that stepped back, or has lost much that need not be read again; and if it must be
-- stored, the time until all is back (reset). Here it has none.
local function without_notes(s, time, used, more)
  s.time, s.used, s.more, s.pending, s.reset = time, used, more, false, false
  return s
end

local function age(limit, s, now)
  local shrunk
  s.under = limit
  s.room, s.time, s.used, s.more, shrunk = limit.age(now, s.time, s.used, s.more)
  if shrunk then s.behind = true end
end

-- Looks at a claim: how many of the equal requests still wanted it has room for, beside those looked at before.
local function look(limit, s, cost, wanted, now)
  local asked = s.pending
  if not asked then
    s.behind, asked = s.time > now, 0
    age(limit, s, now)
  elseif s.under ~= limit then
    age(limit, s, now)
  end
  asked = asked + cost
  s.pending = asked
  local fits = s.room
  if wanted * asked <= fits or limit.shadow then return wanted end
  return (fits - fits % asked) / asked
end

-- How much is charged: what is granted of what is taken, what fits of a lease, nothing of a peek, all of the rest.
local function amount(mode, cost, granted, count, fits)
  if mode == 'take' then
    if granted * cost > fits then granted = (fits - fits % cost) / cost end
    return granted * cost
  end
  if mode == 'lease' then return min(count * cost, fits) end
  return mode == 'force' and count * cost or mode == 'refund' and -count * cost or 0
end

-- Charges a claim that was looked at.
local function settle(limit, s, cost, granted, count, mode, now, when)
  if s.under ~= limit then age(limit, s, now) end
  local charged = amount(mode, cost, granted, count, s.room)
  s.pending = false
  if charged ~= 0 or s.behind then
    s.room = s.room - charged
    s.reset, s.time, s.used, s.more = limit.charge(now, when, charged, s.time, s.used, s.more)
  end
end

-- Decides on `count` equal requests: the first `size` claims, each {limit, state, cost}.
local function decide(claims, size, count, mode, now, when)
  local granted = count
  for i = 1, size do
    local c = claims[i]
    granted = look(c.limit, c.state, c.cost, granted, now)
  end
  for i = 1, size do
    local c = claims[i]
    settle(c.limit, c.state, c.cost, granted, count, mode, now, when)
  end
end
