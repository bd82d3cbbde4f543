"""Runs mosquitto's broker scripts for MQTT 3.1.1 against the broker of this project, started afresh for each script.

    python3 test/suites/mosquitto-scripts.py CHECKOUT NODE

CHECKOUT is a checkout of eclipse/mosquitto, NODE a Node 24. Chosen are the scripts of test/broker that start the broker without a
configuration of their own (they neither write one nor name one) and that open at least one connection of MQTT 3.1 or 3.1.1. A script
that turns to MQTT 5 has passed when it gets there: the gateway refuses MQTT 5 by design. Helper programs in C are not built, so the
scripts that need one are not chosen.
"""
import os
import re
import stat
import subprocess
import sys

checkout, node = sys.argv[1], sys.argv[2]
here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(checkout, "test", "broker")
shim = os.path.join(checkout, "src", "mosquitto")
with open(shim, "w") as file:
    file.write(f'#!/bin/sh\nexec "{node}" --disable-warning=ExperimentalWarning "{here}/open-broker.ts" "$@"\n')
os.chmod(shim, os.stat(shim).st_mode | stat.S_IEXEC)

# Runs a script so that its first CONNECT of MQTT 5 ends it; exit code 77 when no CONNECT of 3.1 or 3.1.1 came before.
PROLOGUE = """
import os, runpy, sys
sys.path.insert(0, os.path.join(os.getcwd(), '..'))
import mosq_test
seen = [0]
made = mosq_test.gen_connect
def gen_connect(*args, **named):
    if named.get('proto_ver', 4) == 5:
        raise SystemExit(0 if seen[0] else 77)
    seen[0] += 1
    return made(*args, **named)
mosq_test.gen_connect = gen_connect
name = sys.argv[1]
sys.argv = sys.argv[1:]
try:
    runpy.run_path(name, run_name='__main__')
finally:
    if not seen[0]: os._exit(77)
"""

OWN_CONFIGURATION = re.compile(r"write_config|use_conf=True|\.conf['\"]|cmd\s*=|\bc/\w|\.test['\"]")

passed, failed, skipped = [], [], []
for name in sorted(os.listdir(folder)):
    if not re.match(r"^\d\d-.*\.py$", name):
        continue
    with open(os.path.join(folder, name)) as file:
        source = file.read()
    if OWN_CONFIGURATION.search(source) or "start_broker" not in source:
        continue
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROLOGUE, name], cwd=folder, timeout=90, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        code = done.returncode
        why = done.stdout.decode(errors="replace").strip().split("\n")[-1]
    except subprocess.TimeoutExpired:
        code, why = 1, "no end within 90 s"
    subprocess.run(["pkill", "-f", "open-broker.ts -v"], check=False)
    (skipped if code == 77 else passed if code == 0 else failed).append((name, why))

for name, _ in passed:
    print("pass", name)
for name, why in failed:
    print("FAIL", name, why)
print("MQTT 5 only, not counted:", ", ".join(name for name, _ in skipped))
print(f"{len(passed)} of {len(passed) + len(failed)} scripts pass")
