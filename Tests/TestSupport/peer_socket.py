"""The listening socket of a peer whose server is a uvicorn that its library runs: bound before anybody is told its port."""

import socket

import uvicorn


def listen(port: int) -> int:
    """Binds the loopback at this port, 0 being any that is free, and returns it.

    Whatever uvicorn this process runs serves there, and says `ready PORT` on standard output as soon as it does.
    """
    listener = socket.create_server(("127.0.0.1", port))
    bound = listener.getsockname()[1]
    serve, startup = uvicorn.Server.serve, uvicorn.Server.startup

    async def serve_here(self, sockets=None):
        await serve(self, [listener])

    async def startup_here(self, sockets=None):
        await startup(self, sockets)
        print(f"ready {bound}", flush=True)

    uvicorn.Server.serve, uvicorn.Server.startup = serve_here, startup_here
    return bound
