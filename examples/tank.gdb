# What gdb tells of the tank, whose program stays as it is.
dprintf tank.c:8, "next {\"level\": %d, \"valve\": %d}\n", level, valve
echo traceward 1\ninit {"level": 0, "valve": 0}\n
run > /dev/null
echo end\n
