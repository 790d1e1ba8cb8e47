-- Bursts up to the bucket's size, then the refill rate: the twin of TokenBucket.java.
return function(t)
  local burst, unit, p, q, full, brim, most = t.burst, t.unit, t.p, t.q, t.full, t.brim, 2 * t.burst

  -- The units to give back of permits charged at `when`: those that have not drained since.
  local function undrained(now, when, cost)
    local amount, elapsed = min(cost * unit, brim), now - when
    if elapsed <= 0 then return amount end
    local past = elapsed % q
    local trickle = past * p
    return max(0, amount - (elapsed - past) / q * p - (trickle - trickle % q) / q)
  end

  local function age(now, time, used)
    local elapsed, trickle = now - time, 0
    if used > brim then used = brim end -- the limit was lowered
    if elapsed < 0 then
      if used > full then used = full end
      time = now
    elseif used > 0 then
      local past = elapsed % q
      local drained = (elapsed - past) / q * p
      if past > 0 then
        trickle = past * p
        trickle = (trickle - trickle % q) / q
      end
      if drained + trickle < used then
        time, used = now - past, used - drained
      else
        time, used, trickle = now, 0, 0
      end
    else
      time = now
    end
    local free = full - used + trickle
    if free <= 0 then return 0, time, used end
    local room = (free - free % unit) / unit
    return room < burst and room or burst, time, used
  end

  local function charge(now, when, cost, time, used)
    if cost < 0 then
      used = used - undrained(now, when, -cost)
    else
      used = used + min(cost, most) * unit
    end
    if used <= 0 then return 0, time, 0 end
    if used > brim then used = brim end
    local left = used % p
    local rounded = left * q + p - 1
    local reset = (used - left) / p * q + (rounded - rounded % p) / p - (now - time)
    return reset > 0 and reset or 0, time, used
  end

  -- What nearly every request asks: in few steps, where no product leaves the exact integers. What trickles in is less
  -- than p, and compared with integers only, for which its fraction makes no difference.
  if brim * q >= 2 ^ 53 then return age, charge end
  local function take(now, cost, time, used)
    local elapsed = now - time
    if elapsed < 0 or used > brim then return nil end
    local past = elapsed % q
    local left, trickle = used - (elapsed - past) / q * p, past * p / q
    if left > trickle then
      time, used = now - past, left
    else
      time, used, trickle = now, 0, 0
    end
    used = used + cost * unit
    if used - trickle > full then return nil end
    local drain = used * q
    return (drain + -drain % p) / p - now + time, time, used
  end

  return age, charge, take
end
