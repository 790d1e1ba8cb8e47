-- The decision, common to all algorithms: checks all claims, then charges all or none. The Lua counterpart of ClaimEvaluator.java.
-- A claim asks for a cost from a state under a limit {advance, charge, shadow, deferred}. Several equal requests may be decided at once:
-- as many of them are granted as would be one after the other. Operations: take | peek | force | lease | refund.

-- A state is {time, used, extra} plus scratch fields of the decision in progress:
--   available     the permits available
--   limit         the limit they were computed under, since requests may have rates of their own
--   pending_cost  the total cost of the claims checked so far
--   must_store    whether to store the state even if nothing is charged, since the clock stepped back or many entries expired
--   reset         if the state must be stored, the time until all permits are back
-- This function sets the state and clears the scratch fields.
local function set_state(s, time, used, extra)
  s.time, s.used, s.extra, s.pending_cost, s.reset = time, used, extra, false, false
  return s
end

local function advance(limit, s, now)
  local shrunk
  s.limit = limit
  s.available, s.time, s.used, s.extra, shrunk = limit.advance(now, s.time, s.used, s.extra)
  if shrunk then s.must_store = true end
end

-- Checks a claim: returns for how many of the equal requests still wanted it has permits, after the claims checked before.
local function check_claim(limit, s, cost, wanted, now)
  local total_cost = s.pending_cost
  if not total_cost then
    s.must_store, total_cost = s.time > now, 0
    advance(limit, s, now)
  elseif s.limit ~= limit then
    advance(limit, s, now)
  end
  total_cost = total_cost + cost
  s.pending_cost = total_cost
  local available = s.available
  if limit.shadow then return wanted end
  if limit.deferred then return total_cost <= available and wanted or 0 end
  if wanted * total_cost <= available then return wanted end
  return (available - available % total_cost) / total_cost
end

-- Returns the permits to charge: the granted ones of a take, the available ones of a lease, none of a peek, else all.
local function charged_amount(operation, cost, granted, count, available)
  if operation == 'take' then
    if granted * cost > available then granted = (available - available % cost) / cost end
    return granted * cost
  end
  if operation == 'lease' then return min(count * cost, available) end
  return operation == 'force' and count * cost or operation == 'refund' and -count * cost or 0
end

-- Charges a claim that was checked.
local function charge_claim(limit, s, cost, granted, count, operation, now, when)
  if s.limit ~= limit then advance(limit, s, now) end
  local charged = charged_amount(operation, cost, granted, count, s.available)
  if operation == 'take' and limit.deferred then charged = 0 end
  s.pending_cost = false
  if charged ~= 0 or s.must_store then
    s.available = s.available - charged
    s.reset, s.time, s.used, s.extra = limit.charge(now, when, charged, s.time, s.used, s.extra)
  end
end

-- Decides on `count` equal requests: the first `size` claims, each {limit, state, cost}.
local function decide(claims, size, count, operation, now, when)
  local granted = count
  for i = 1, size do
    local c = claims[i]
    granted = check_claim(c.limit, c.state, c.cost, granted, now)
  end
  for i = 1, size do
    local c = claims[i]
    charge_claim(c.limit, c.state, c.cost, granted, count, operation, now, when)
  end
end
