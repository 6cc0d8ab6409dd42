"""Checks answers against the platform's own OpenAPI description, as far as answers need it."""

import datetime
import json
import pathlib
import uuid

DESCRIPTION = json.loads((pathlib.Path(__file__).parent / "kamiwaza_schemas.json").read_text())
TYPES = {"string": str, "object": dict, "array": list, "boolean": bool, "null": type(None)}


def problems(route, value):
    """What is wrong with the answer of a route such as `GET /models/`."""
    return list(_check(DESCRIPTION["routes"][route], value, "$"))


def _is(kind, value):
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


def _fits(form, text):
    try:
        if form == "uuid":
            uuid.UUID(text)
        elif form == "date-time":
            datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check(schema, value, place):
    if "$ref" in schema:
        schema = DESCRIPTION["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        if not any(not list(_check(one, value, place)) for one in schema["anyOf"]):
            yield f"{place}: {value!r} is none of {schema['anyOf']}"
        return
    kind = schema.get("type")
    if kind and not _is(kind, value):
        yield f"{place}: {value!r} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and not _fits(schema.get("format"), value):
        yield f"{place}: {value!r} is no {schema['format']}"
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from _check(schema.get("items", {}), element, f"{place}[{index}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place}: {name} is missing"
        rest = schema.get("additionalProperties")
        for name, element in value.items():
            # What is not declared the platform takes out of its answers.
            if "properties" in schema and name not in schema["properties"] and not rest:
                yield f"{place}: {name} is not declared"
            one = schema.get("properties", {}).get(name, rest if isinstance(rest, dict) else {})
            yield from _check(one, element, f"{place}.{name}")
