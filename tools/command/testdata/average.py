#!/usr/bin/env python3
"""A tool in Python: the average of numbers, as JSON."""
import json
import sys

args = json.load(sys.stdin)
numbers = args["numbers"]
if not numbers:
    sys.exit("numbers is empty; give at least one")
print(json.dumps({"average": sum(numbers) / len(numbers), "count": len(numbers)}, indent=2))
