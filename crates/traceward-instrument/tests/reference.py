# Runs inside gdb: steps through a program, instruction by instruction, and writes down each change of
# each watched variable, with the line of the instruction that made it.
#
# The variables come from the environment, one a line, in the words of a spec: `x`, `s.in[2]`,
# `function:x`, `file.c:x`, `file.c:function:x:17`. What was seen goes to a file as JSON lines, one for
# each step that changed something.
#
# A call of a library is one step: what it writes is seen once it is back. Functions of the program
# that a library calls are stepped through like all others. Of several threads one is stepped while
# the others stand still; while it is in a library all of them run, up to code of the program.
#
# A local belongs to a call of its function. It is there from the end of the prologue, when the
# parameters have come, until the stack is above the call's frame, however that came about. While
# several calls are under way the innermost counts. Where it has no initial value it holds what the
# stack held: so the bytes of a new local are filled with a pattern that no program of the corpus
# writes, and it is missing as long as they are the pattern. The programs are compiled so that no two
# locals of a function share memory: what a block has left stays to be seen until the call ends.

import json
import math
import os
import re

import gdb

FOLDER = os.environ["FOLDER"]
# Not what the runtime of instrumented programs takes for the same purpose.
UNWRITTEN = 0x5C


class Name:
    """A name of a spec, taken apart."""

    def __init__(self, name):
        words = name.split(":")
        numbers = []
        while words[-1].isdigit():
            numbers.insert(0, int(words.pop()))
        self.line = numbers[0] if numbers else None
        steps = re.findall(r"\w+", words.pop())
        self.variable = steps[0]
        self.path = [int(step) if step.isdigit() else step for step in steps[1:]]
        self.file = words.pop(0) if words and "." in words[0] else None
        self.function = words.pop(0) if words else None

    def symbol(self, files):
        """The symbol of the variable, and its function if it has one."""
        found = {}
        for file in files:
            if self.file is not None and os.path.basename(file.filename) != self.file:
                continue
            if self.function is None:
                self.collect(found, [file.static_block(), file.global_block()], None)
            if self.file is None or self.function is not None or self.line is not None:
                for function in functions_of(file):
                    if self.function in (None, function.name):
                        self.collect(found, blocks_of(function), function)
        if len(found) != 1:
            raise gdb.error("there are %d variables %s" % (len(found), self.variable))
        return next(iter(found.values()))

    def collect(self, found, blocks, function):
        for block in blocks:
            for symbol in block:
                is_meant = symbol.name == self.variable and self.line in (None, symbol.line)
                # Each file that includes it has a constant of its own.
                if is_meant and symbol.is_constant:
                    found[symbol.name] = (symbol, None)
                elif is_meant and (symbol.is_variable or symbol.is_argument):
                    found[symbol.symtab.filename, symbol.line] = (symbol, function)


class Permanent:
    """A variable that lives as long as the program does, or a part of it."""

    def __init__(self, symbol, path):
        self.symbol = symbol
        self.path = path

    def value(self):
        return told(part(self.symbol.value(), self.path))


class Local:
    """A local variable, or a part of it, in all calls of its function."""

    def __init__(self, symbol, function, path):
        self.symbol = symbol
        self.function = function
        self.path = path
        # Those that are there, the outermost first: the end of the call's frame, the variable's
        # place, and what it is like until something is written to it.
        self.calls = []

    def enter(self, frame, end):
        whole = self.symbol.value(frame)
        unwritten = None
        if not self.symbol.is_argument:
            pattern = bytes([UNWRITTEN]) * whole.type.sizeof
            gdb.selected_inferior().write_memory(int(whole.address), pattern)
            unwritten = raw(part(whole.address.dereference(), self.path))
        self.calls.append([end, whole.address, unwritten])

    def leave(self, stack):
        while self.calls and self.calls[-1][0] <= stack:
            self.calls.pop()

    def value(self):
        if not self.calls:
            return None
        call = self.calls[-1]
        found = part(call[1].dereference(), self.path)
        if call[2] is not None and raw(found) == call[2]:
            return None
        call[2] = None
        return told(found)


def part(whole, path):
    for step in path:
        whole = whole[step]
    return whole


def raw(found):
    """The bytes of a variable. A bit-field has none of its own, and is taken for what it says."""
    if found.address is None:
        return int(found)
    return bytes(gdb.selected_inferior().read_memory(int(found.address), found.type.sizeof))


def told(found):
    """A value in the words of the events."""
    ty = found.type.strip_typedefs()
    if ty.code == gdb.TYPE_CODE_FLT:
        number = float(found)
        # JSON has no number for the others, and they count as missing.
        return number if math.isfinite(number) else None
    if ty.code == gdb.TYPE_CODE_BOOL:
        return bool(found)
    if ty.code == gdb.TYPE_CODE_ARRAY:
        return text(int(found.address), ty.sizeof)
    if ty.code == gdb.TYPE_CODE_PTR and ty.target().strip_typedefs().unqualified().name == "char":
        return text(int(found), None) if int(found) != 0 else None
    return int(found)


def text(address, size):
    """The text at an address, in an array of a size or as far as it goes."""
    read = bytearray()
    while size is None or len(read) < size:
        byte = bytes(gdb.selected_inferior().read_memory(address + len(read), 1))
        if byte == b"\0":
            break
        read += byte
    return read.decode("utf-8", "replace")


def files_of_program():
    names = re.findall(re.escape(FOLDER) + r"/[^,\n]*\.c", gdb.execute("info sources", to_string=True))
    return [gdb.decode_line("'%s':1" % os.path.basename(name))[1][0].symtab for name in sorted(set(names))]


def functions_of(file):
    symbols = [symbol for block in (file.static_block(), file.global_block()) for symbol in block]
    return [symbol for symbol in symbols if symbol.is_function]


def blocks_of(function):
    """The blocks of a function: gdb finds them by addresses only."""
    body = gdb.block_for_pc(start_of(function))
    while body.function is None:
        body = body.superblock
    found = {}
    for pc in range(body.start, body.end):
        block = gdb.block_for_pc(pc)
        while block.function is None:
            found[block.start, block.end] = block
            block = block.superblock
    return [body, *found.values()]


def start_of(function):
    return int(function.value().address)


def behind_prologues(function):
    """The addresses at which gdb would break: the parameters are on the stack there. Each file that
    includes a function has one of its own."""
    point = gdb.Breakpoint("-function %s" % function.name, internal=True)
    addresses = [location.address for location in point.locations]
    point.delete()
    return addresses


def line_of_body(function):
    """The line of the brace that opens a function. The compiler tells that of the name only."""
    with open(function.symtab.fullname()) as file:
        lines = file.read().split("\n")
    return next(number for number in range(function.line, len(lines) + 1) if "{" in lines[number - 1])


def is_of_program(pc):
    symtab = gdb.find_pc_line(pc).symtab
    return symtab is not None and symtab.fullname().startswith(FOLDER)


def is_running():
    return gdb.selected_inferior().pid != 0


class Stepper:
    """Goes through the program and writes down what changes."""

    def __init__(self, names, out):
        self.out = out
        self.last = {}
        self.watched = {}
        files = files_of_program()
        for name in names:
            wanted = Name(name)
            symbol, function = wanted.symbol(files)
            is_local = symbol.is_argument or (symbol.needs_frame and function is not None)
            self.watched[name] = (
                Local(symbol, function, wanted.path) if is_local else Permanent(symbol, wanted.path)
            )
        functions = [function for file in files for function in functions_of(file)]
        self.bodies = {address: function for function in functions for address in behind_prologues(function)}
        self.frames = []
        # Where the program goes on when it was in a library: a library may call any function.
        self.stops = set()
        for function in functions:
            self.stop_at(start_of(function))

    def locals(self):
        return [one for one in self.watched.values() if isinstance(one, Local)]

    def stop_at(self, address):
        if address not in self.stops:
            self.stops.add(address)
            gdb.Breakpoint("*%d" % address, internal=True).silent = True

    def step(self):
        """One instruction of the program, or all of a library's. The line comes back."""
        frame = gdb.newest_frame()
        pc = frame.pc()
        if is_of_program(pc):
            gdb.execute("stepi", to_string=True)
            return gdb.find_pc_line(pc).line
        while frame is not None and not is_of_program(frame.pc()):
            frame = frame.older()
        line = 0
        if frame is not None:
            line = gdb.find_pc_line(frame.pc() - 1).line
            self.stop_at(frame.pc())
        gdb.execute("continue", to_string=True)
        return line

    def enter(self):
        """Takes the variables of a call that begins here. The line of its body comes back."""
        frame = gdb.newest_frame()
        function = self.bodies.get(frame.pc())
        if function is None:
            return None
        end = int(frame.older().read_register("rsp"))
        # A loop may lead back to the first statement.
        if (function.name, end) in self.frames:
            return None
        self.frames.append((function.name, end))
        for local in self.locals():
            if local.function.name == function.name:
                local.enter(frame, end)
        return line_of_body(function)

    def leave(self):
        """Drops the variables of the calls that are over."""
        stack = int(gdb.newest_frame().read_register("rsp"))
        self.frames = [frame for frame in self.frames if frame[1] > stack]
        for local in self.locals():
            local.leave(stack)

    def look(self, line):
        changes = {}
        for name, one in self.watched.items():
            now = one.value()
            if name not in self.last or now != self.last[name]:
                changes[name] = self.last[name] = now
        if changes:
            self.out.write(json.dumps({"line": line, "changes": changes}) + "\n")

    def run(self):
        self.look(0)
        while True:
            line = self.step()
            if not is_running():
                return
            self.leave()
            self.look(line)
            body = self.enter()
            if body is not None:
                self.look(body)


for setting in ["confirm off", "pagination off", "backtrace past-main on", "environment LD_BIND_NOW=1"]:
    gdb.execute("set " + setting)
gdb.execute("break *main", to_string=True)
gdb.execute("run > /dev/null", to_string=True)
gdb.execute("set scheduler-locking step")
with open(os.environ["SEEN"], "w") as out:
    Stepper(os.environ["WATCHED"].split("\n"), out).run()
    # Whoever reads it knows that it is all.
    out.write("\"end\"\n")
