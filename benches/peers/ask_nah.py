"""python ask_nah.py ROUNDS < commands.json: prints nanoseconds for each decision, the best round."""
import json
import sys
import time

from nah.bash import classify_command

commands = json.load(sys.stdin)
best = float("inf")
for _ in range(int(sys.argv[1])):
    start = time.perf_counter_ns()
    for command in commands:
        classify_command(command)
    best = min(best, (time.perf_counter_ns() - start) / len(commands))
print(round(best))
