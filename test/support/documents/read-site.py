"""Reads the site ID from URL with TOKEN into the class that was generated for it, and writes it as JSON.

The raw answer and each schema of the document also pass the validator of the Debian package python3-jsonschema.
"""
import json
import os
import re
import sys
import urllib.request

import jsonschema

sys.path.insert(0, sys.argv[1])
import portal_types  # noqa: E402

with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file)


def patterns(node):
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for inner in node.values():
            yield from patterns(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from patterns(inner)


found = set(patterns(document))
for pattern in found:
    re.compile(pattern)

schemas = document["components"]["schemas"]
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)

request = urllib.request.Request(
    f"{os.environ['URL']}/api/webui/aggregator/sites/{os.environ['ID']}",
    headers={"X-Auth-Token": os.environ["TOKEN"]},
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
jsonschema.Draft202012Validator({**schemas["Site"], "components": document["components"]}).validate(answer)
site = portal_types.site_from_dict(answer)
print(json.dumps({"name": site.name, "patterns": len(found), "site": portal_types.site_to_dict(site)}))
