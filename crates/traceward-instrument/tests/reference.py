# Runs inside gdb: steps through a program with software watchpoints, and writes down each change of
# each watched expression, with the line of the instruction that made it. The expressions come from
# the environment, one a line; what was seen goes to a file as JSON lines.

import json
import os

import gdb

expressions = os.environ["WATCHED"].split("\n")
last = {}
seen = open(os.environ["SEEN"], "w")


def value(expression):
    found = gdb.parse_and_eval(expression)
    kind = found.type.strip_typedefs().code
    if kind == gdb.TYPE_CODE_FLT:
        return float(found)
    if kind == gdb.TYPE_CODE_BOOL:
        return bool(found)
    return int(found)


def write(**what):
    seen.write(json.dumps(what) + "\n")


def is_of_program(symtab):
    return symtab is not None and symtab.fullname().startswith(os.environ["FOLDER"])


def stopped(event):
    if not isinstance(event, gdb.BreakpointEvent):
        return
    pc = gdb.newest_frame().pc()
    line = gdb.find_pc_line(pc - 1).line
    frame = gdb.newest_frame()
    # Inside a library the line is that of the call.
    while frame is not None and not is_of_program(frame.find_sal().symtab):
        frame = frame.older()
        line = gdb.find_pc_line(frame.pc() - 1).line
    # Of several watchpoints gdb may name some that have not changed.
    for expression in expressions:
        now = value(expression)
        if now != last[expression]:
            last[expression] = now
            write(name=expression, value=now, line=line)


gdb.execute("set confirm off")
gdb.execute("set pagination off")
gdb.execute("set can-use-hw-watchpoints 0")
gdb.execute("break main", to_string=True)
gdb.execute("run > /dev/null", to_string=True)
for expression in expressions:
    last[expression] = value(expression)
    write(name=expression, value=last[expression], line=0)
    gdb.execute("watch " + expression, to_string=True)
gdb.events.stop.connect(stopped)
while gdb.selected_inferior().pid != 0:
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:
        break
seen.close()
