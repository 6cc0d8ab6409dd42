"""Two small tool servers on 127.0.0.1 with the Model Context Protocol, for the playground to offer.

`URL/calculator/mcp` works out expressions and converts units, `URL/almanac/mcp` looks things up in a few entries that
are written down here. They read no files, reach no network and always answer the same. When they are ready, one line on
standard output says so: `ready URL`. They stop on SIGTERM and SIGINT, and with --while-stdin-open when standard input
ends, which it does when the program that holds the other end of the pipe is gone, however that went.
"""

import argparse
import ast
import contextlib
import math
import operator
import os
import re
import socket
import threading

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount

SAFE = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

# The calculator

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
          ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg}
FUNCTIONS = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "log": math.log, "log10": math.log10,
             "exp": math.exp, "abs": abs, "min": min, "max": max,
             # Python's own would fill the memory for round(1, -10**9).
             "round": lambda value, digits=0: round(value, max(-15, min(15, int(digits))))}
CONSTANTS = {"pi": math.pi, "e": math.e}
LONGEST = 200
# Of the numbers on the way: 9**9**9 would be worked out for ever.
MOST_DIGITS = 300


def worked_out(node):
    """The value of a piece of an expression; only arithmetic is known, and nothing is executed."""
    match node:
        case ast.Expression(body=body):
            return worked_out(body)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return UNARY[type(op)](worked_out(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            first, second = worked_out(left), worked_out(right)
            if isinstance(op, ast.Pow) and first and abs(second) * abs(math.log10(abs(first))) > MOST_DIGITS:
                raise ToolError("that number is too large")
            value = BINARY[type(op)](first, second)
            if isinstance(value, complex):
                raise ToolError("the result is not a real number")
            if isinstance(value, int) and value.bit_length() > 4 * MOST_DIGITS:
                raise ToolError("that number is too large")
            return value
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*map(worked_out, arguments))
    raise ToolError(f"only arithmetic is known, not {ast.unparse(node)!r}")


def calculation(expression):
    if len(expression) > LONGEST:
        raise ToolError(f"more than {LONGEST} characters")
    text = expression.strip().rstrip("=? ")
    for sign, meant in {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}.items():
        text = text.replace(sign, meant)
    try:
        value = worked_out(ast.parse(text, mode="eval"))
    except (SyntaxError, RecursionError):
        raise ToolError(f"not an expression: {expression!r}") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ToolError(str(error)) from None
    return written(value)


def written(value):
    """Whole numbers without a point, others with up to twelve digits: 0.3 and not 0.30000000000000004."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


# Each unit in the base unit of what it measures.
UNITS = {
    "length": {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mile": 1609.344, "yard": 0.9144, "foot": 0.3048,
               "inch": 0.0254, "nmi": 1852},
    "mass": {"kg": 1, "g": 0.001, "t": 1000, "lb": 0.45359237, "oz": 0.028349523125},
    "volume": {"l": 1, "ml": 0.001, "gallon": 3.785411784, "pint": 0.473176473, "cup": 0.2365882365},
    "time": {"s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800},
    "speed": {"m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704, "knot": 1852 / 3600},
    "data": {"byte": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30},
}
OTHER_NAMES = {
    "metre": "m", "meter": "m", "kilometre": "km", "kilometer": "km", "mi": "mile", "ft": "foot", "feet": "foot",
    "inches": "inch", "in": "inch", "yd": "yard", "gram": "g", "kilogram": "kg", "tonne": "t", "pound": "lb",
    "ounce": "oz", "litre": "l", "liter": "l", "gal": "gallon", "second": "s", "minute": "min", "hour": "h",
    "kmh": "km/h", "kph": "km/h", "knots": "knot", "kn": "knot",
}
DEGREES = {"c": "c", "celsius": "c", "°c": "c", "f": "f", "fahrenheit": "f", "°f": "f", "k": "k", "kelvin": "k"}


def unit(name):
    """What it measures, and how much of that it is."""
    name = name.strip().lower()
    for candidate in (name, OTHER_NAMES.get(name), name.removesuffix("s"), OTHER_NAMES.get(name.removesuffix("s"))):
        for kind, units in UNITS.items():
            if candidate in units:
                return kind, units[candidate]
    raise ToolError(f"no unit {name!r}; there are " + ", ".join(one for units in UNITS.values() for one in units)
                    + ", celsius, fahrenheit, kelvin")


def converted(value, of, to):
    first, second = DEGREES.get(of.strip().lower()), DEGREES.get(to.strip().lower())
    if first and second:
        kelvin = {"c": value + 273.15, "f": (value + 459.67) / 1.8, "k": value}[first]
        return {"c": kelvin - 273.15, "f": kelvin * 1.8 - 459.67, "k": kelvin}[second]
    (kind, size), (other_kind, other_size) = unit(of), unit(to)
    if kind != other_kind:
        raise ToolError(f"{of} measures {kind}, {to} measures {other_kind}")
    return value * size / other_size


def calculator():
    server = MCPServer("calculator", title="Calculator", version="1.0.0", log_level="WARNING",
                       instructions="Use it for any arithmetic and any change of units: it does not guess.")

    @server.tool(title="Calculate", annotations=SAFE, structured_output=False)
    def calculate(expression: str) -> str:
        """Work out an arithmetic expression, such as 12 * (3 + 4.5) or sqrt(2)."""
        return calculation(expression)

    @server.tool(title="Convert units", annotations=SAFE, structured_output=False)
    def convert(value: float, of: str, to: str) -> str:
        """Convert a measurement to another unit, such as 26.2 miles to km."""
        return f"{written(value)} {of} = {written(round(converted(value, of, to), 10))} {to}"

    return server


# The almanac

ENTRIES = [
    ("Mercury", "The planet nearest to the sun: 58 million km from it, a year of 88 days, no moon."),
    ("Venus", "The second planet: 108 million km from the sun, a year of 225 days, hotter than Mercury."),
    ("Earth", "The third planet: 150 million km from the sun, a year of 365.25 days, one moon."),
    ("Moon", "Goes round the Earth in 27.3 days at 384,400 km; from full moon to full moon it is 29.5 days."),
    ("Mars", "The fourth planet: 228 million km from the sun, a year of 687 days, the moons Phobos and Deimos."),
    ("Jupiter", "The largest planet: 778 million km from the sun, a year of 11.9 years, a storm older than 150 years."),
    ("Saturn", "The planet with the broadest rings: 1,430 million km from the sun, a year of 29.5 years."),
    ("Light", "Travels 299,792,458 metres in a second; from the sun to the Earth it takes 8 minutes and 20 seconds."),
    ("Sound", "Travels 343 metres in a second in air at 20 °C, and about 1,480 in water."),
    ("Everest", "The highest mountain above the sea: 8,849 m, in Nepal and China, first climbed in 1953."),
    ("Nile", "A river in Africa of about 6,650 km that ends in the Mediterranean Sea in Egypt."),
    ("Mariana Trench", "The deepest place of the seas, in the Pacific: about 10,935 m."),
    ("Leap year", "Every fourth year has 366 days; of the years that end a century only those that 400 divides."),
    ("Solstice", "The longest or the shortest day: near 21 June and 21 December."),
    ("Equinox", "Day and night are equally long: near 20 March and 23 September."),
    ("Beaufort scale", "Winds from 0, calm, to 12, hurricane; 6 is a strong breeze of 22 to 27 knots."),
]


class Entry(BaseModel):
    title: str
    text: str


def found(query, most):
    """The entries that share the most words with the query; a word of the title counts three times."""
    words = set(re.findall(r"\w{3,}", query.lower()))
    if not words:
        raise ToolError("the query has no word of three letters or more")
    counted = []
    for title, text in ENTRIES:
        score = sum(3 * (word in title.lower()) + (word in text.lower()) for word in words)
        if score:
            counted.append((score, title, text))
    counted.sort(key=lambda one: -one[0])
    return [Entry(title=title, text=text) for _, title, text in counted[:max(1, most)]]


def almanac():
    server = MCPServer("almanac", title="Almanac", version="1.0.0", log_level="WARNING",
                       instructions="A few facts about the sky, the earth and the calendar.")

    @server.tool(title="Look up", annotations=SAFE)
    def look_up(query: str, max_results: int = 3) -> list[Entry]:
        """Look something up in a small almanac: planets, mountains, rivers, the calendar, the wind."""
        return found(query, max_results)

    @server.resource("almanac://titles", mime_type="text/plain")
    def titles() -> str:
        """What the almanac has an entry about."""
        return "\n".join(title for title, _ in ENTRIES)

    @server.prompt(title="Compare two things")
    def compare(first: str, second: str) -> str:
        """Ask for a comparison of two entries."""
        return f"Look up {first} and {second} in the almanac, and compare them in a table."

    return server


# Serving

def application():
    apps = {server.name: server.streamable_http_app() for server in (calculator(), almanac())}

    @contextlib.asynccontextmanager
    async def lifespan(_):
        async with contextlib.AsyncExitStack() as stack:
            for app in apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    return Starlette(routes=[Mount(f"/{name}", app) for name, app in apps.items()], lifespan=lifespan)


def wait_for_end_of_input(server):
    while os.read(0, 4096):
        pass
    server.should_exit = True


class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"ready http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="default 0: the system picks one")
    parser.add_argument("--while-stdin-open", action="store_true", help="stop when standard input ends")
    options = parser.parse_args()

    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", options.port))
    except OSError as error:
        raise SystemExit(f"tool server: cannot listen on 127.0.0.1:{options.port} ({error.strerror})")
    # A stream of events may be open: it is not waited for.
    server = Server(uvicorn.Config(application(), log_level="warning", timeout_graceful_shutdown=1))
    if options.while_stdin_open:
        # A session of its own: Ctrl-C at the terminal is meant for the shell, not for this.
        if os.getpid() != os.getsid(0):
            os.setsid()
        threading.Thread(target=wait_for_end_of_input, args=(server,), daemon=True).start()
    server.run(sockets=[listener])


if __name__ == "__main__":
    main()
