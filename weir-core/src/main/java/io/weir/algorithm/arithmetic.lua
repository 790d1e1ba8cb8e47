-- What every algorithm may use. Numbers are integers below 2^53, on which these are exact.
local floor, max, min = math.floor, math.max, math.min
local algorithms = {}

local function ceildiv(a, b) return floor((a + b - 1) / b) end

-- The time in which `amount` units drain, rounded up.
local function drain(t, amount)
  local p, q = t.p, t.q
  if q == 1 then return ceildiv(amount, p) end
  local turns = floor(amount / p)
  return turns * q + ceildiv((amount - turns * p) * q, p)
end
