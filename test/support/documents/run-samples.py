"""Runs Python samples one after the other in this process and writes one JSON line for each: id, status, output."""
import contextlib
import io
import json
import os
import runpy
import sys
import urllib.error

for sample in json.load(sys.stdin):
    os.environ.update(sample["env"])
    output = io.StringIO()
    status = 0
    try:
        with contextlib.redirect_stdout(output):
            runpy.run_path(sample["file"])
    except urllib.error.HTTPError as error:
        status = error.code
        output.write(error.read().decode())
    print(json.dumps({"id": sample["id"], "status": status, "output": output.getvalue()}), flush=True)
