# Makes the calls in a file with a client library for Python. Argument: the module that has the library's class Client.
import importlib
import inspect
import json
import os
import sys
import threading
import time
from datetime import datetime

# The Python names of call fields.
NAMES = {
    "userId": "user_id",
    "anonymousId": "anonymous_id",
    "previousId": "previous_id",
    "groupId": "group_id",
}


def setting(name):
    return os.environ["COMPAT_" + name]


def say(**line):
    print(json.dumps(line), flush=True)


def new_client():
    """A client with the settings that this version supports."""
    batch = int(setting("BATCH"))
    wanted = {
        "host": setting("ENDPOINT"),
        "on_error": lambda error, batch: say(error=str(error)),
        "gzip": setting("GZIP") == "1",
        # The name depends on the version.
        "upload_size": batch,
        "flush_at": batch,
        "upload_interval": 0.5,
        "flush_interval": 0.5,
        "max_retries": 10,
    }
    client_class = importlib.import_module(sys.argv[1]).Client
    known = inspect.signature(client_class.__init__).parameters
    return client_class(
        setting("WRITE_KEY"), **{name: wanted[name] for name in wanted if name in known}
    )


def make(client, call):
    call_id, call_type = call.pop("id"), call.pop("type")
    method = getattr(client, call_type, None)
    if method is None:
        return say(lacks=call_type, id=call_id)
    if "timestamp" in call:
        call["timestamp"] = datetime.fromisoformat(call["timestamp"])
    say(made=call_id)
    try:
        result = method(**{NAMES.get(name, name): value for name, value in call.items()})
        if isinstance(result, tuple) and result[0] is False:
            say(error="the queue is full", id=call_id)
    except Exception as error:
        say(error=repr(error), id=call_id)


client = new_client()
with open(setting("CALLS"), encoding="utf-8") as calls:
    for line in calls:
        make(client, json.loads(line))
        time.sleep(int(setting("PAUSE_MS")) / 1000)


def finish():
    client.flush()
    getattr(client, "shutdown", client.join)()


# Some versions wait forever for calls that they have dropped.
finishing = threading.Thread(target=finish, daemon=True)
finishing.start()
finishing.join(45)
say(done=True)
os._exit(0)
