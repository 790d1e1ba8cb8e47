#!lua name={{name}}
-- A library keeps what it builds between calls. It is built by the first call and not while the library is loaded, when the
-- standard libraries are not available yet.
local function build()
{{body}}
end
local handler
redis.register_function('{{name}}', function(keys, args)
  handler = handler or build()
  return handler(keys, args)
end)
