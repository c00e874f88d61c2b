"""Refuses commands that name a production host. The event is on standard input; status 2 refuses, 0 lets go."""

import json
import sys

call = json.load(sys.stdin)["body"]["arguments"]
if ".prod" in call.get("command", ""):
    print("production is read-only; use the replica, db.replica", file=sys.stderr)
    sys.exit(2)
