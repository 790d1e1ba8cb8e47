#!lua name={{name}}
-- A library keeps what it builds from call to call. It is built at the first call and not while it is loaded, when the
-- standard libraries do not exist yet.
local function build()
{{body}}
end
local weir
redis.register_function('{{name}}', function(keys, args)
  weir = weir or build()
  return weir(keys, args)
end)
