-- The decision, once for every algorithm: look at all claims, then charge all or none. The twin of Decide.java.
-- A claim is {limit, state, cost}, a limit {algorithm, terms, shadow}. Claims on one key share one state; the first
-- `size` of them count.
-- count: how many equal requests ask at once; as many are granted as would be one after the other.
-- mode: take | peek | force | refund      when: the time the charge counts at
-- Returns how many are granted. Marks the states that must be stored as changed: those charged, and those that
-- followed a clock that stepped back.
local function decide(claims, size, count, mode, now, when)
  local granted = count
  for i = 1, size do
    local c = claims[i]
    local s, pending = c.state, c.cost
    if s.pending then
      pending = s.pending + pending
    else
      local a, t = c.limit.algorithm, c.limit.terms
      if s.time > now then s.changed = true end
      a.age(t, s, now)
      s.room = a.room(t, s, now)
    end
    s.pending = pending
    if granted * pending > s.room and not c.limit.shadow then granted = (s.room - s.room % pending) / pending end
  end

  for i = 1, size do
    local c = claims[i]
    local s, cost, charged = c.state, c.cost, granted
    s.pending = nil
    if mode == 'peek' then
      charged = 0
    elseif mode ~= 'take' then
      charged = count
    elseif charged * cost > s.room then
      charged = (s.room - s.room % cost) / cost -- a shadow rule's
    end
    if charged > 0 then
      s.changed = true
      c.limit.algorithm.charge(c.limit.terms, s, when, mode == 'refund' and -charged * cost or charged * cost)
      s.room = s.room - charged * cost
    end
  end
  return granted
end
