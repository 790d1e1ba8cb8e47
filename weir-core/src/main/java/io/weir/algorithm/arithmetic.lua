-- What every algorithm may use. Numbers are integers below 2^53, on which these are exact. `x - x % 1` is the floor of
-- x, and `(a - a % b) / b` that of a / b, without the price of a call.
local floor, max, min = math.floor, math.max, math.min
local algorithms = {}

-- The terms of a limit as Terms.java has them. `burst` is also the most that can ever fit.
local function terms_of(permits, period, burst, cool_down, unit, p, q, slices)
  return {permits = permits, period = period, burst = burst, cool_down = cool_down, unit = unit, p = p, q = q,
          slices = slices, full = burst * unit, brim = 2 * burst * unit + p}
end

local function ceildiv(a, b)
  a = a + b - 1
  return (a - a % b) / b
end

-- The time in which `amount` units drain, rounded up.
local function drain(t, amount)
  local p, q = t.p, t.q
  if q == 1 then return ceildiv(amount, p) end
  local left = amount % p
  return (amount - left) / p * q + ceildiv(left * q, p)
end
