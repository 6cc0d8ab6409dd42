#!/usr/bin/env python3
"""A real MCP server on the PyPI package `fastmcp`, beside mcp_peer.py: another implementation of the same tools.

  --transport   http (default; http://127.0.0.1:PORT/mcp), sse (/sse), or stdio
  --port N      loopback port, default 8820, 0 for any; it says `ready PORT` on standard output
"""
import argparse
import asyncio
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("fastmcp peer", version="3.2.1", instructions="Test peer. Its tools touch nothing outside this process.")


@mcp.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    print("add: called", file=sys.stderr, flush=True)
    return a + b


@mcp.tool
def fail(message: str = "the disk is full") -> str:
    """Always an error the model may read."""
    raise ToolError(message)


@mcp.tool
async def slow(ctx: Context, seconds: float = 3.0, steps: int = 3) -> str:
    """Sleep, reporting progress on the way."""
    try:
        for step in range(max(1, steps)):
            await ctx.report_progress(step, steps, f"step {step} of {steps}")
            await asyncio.sleep(seconds / max(1, steps))
    except BaseException:
        print("slow: cancelled", file=sys.stderr, flush=True)
        raise
    return f"slept {seconds} seconds"


@mcp.tool
def weather(city: str) -> dict:
    """Structured output."""
    return {"city": city, "celsius": 11.5, "conditions": "drizzle"}


@mcp.resource("peer://about")
def about() -> str:
    """What this server is."""
    return "A peer for tests."


@mcp.prompt
def summarise(topic: str) -> str:
    """Ask for a summary."""
    return f"Summarise {topic}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--transport", choices=["http", "sse", "stdio"], default="http")
    parser.add_argument("--port", type=int, default=8820)
    options = parser.parse_args()
    if options.transport == "stdio":
        mcp.run("stdio", show_banner=False)
    else:
        from peer_socket import listen

        port = listen(options.port)
        mcp.run(options.transport, host="127.0.0.1", port=port, show_banner=False, log_level="WARNING")
