"""TypeScript source of the generated half of the client: interfaces, and one method per operation.

Pure: operations and schemas in, text out.
"""

import json
import re
from collections.abc import Iterable, Iterator

from quire.serve_apps.clients.description import Operation, Parameter, Schema, SchemaKind, short_name
from quire.serve_apps.clients.python_code import NOTE

_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_CALLS = {
    SchemaKind.JSON: "json",
    SchemaKind.PAGE: "page",
    SchemaKind.TEXT: "text",
    SchemaKind.CONTENT: "content",
    SchemaKind.NOTHING: "nothing",
}


def camel(name: str) -> str:
    """Return the name in camel case: `get_job` is `getJob`."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def write_types(schemas: dict[str, Schema]) -> str:
    """Return the module `types.ts`."""
    lines = [f"// Types of the JSON that the service returns. {NOTE}"]
    for name, schema in sorted(schemas.items()):
        lines += ["", *_declare(short_name(name), schema)]
    return "\n".join(lines) + "\n"


def _declare(name: str, schema: Schema) -> Iterator[str]:
    if "properties" not in schema:
        yield f"export type {name} = {typescript_type(schema)};"
        return
    required = set(schema.get("required", ()))
    yield f"export interface {name} {{"
    for key, field in schema["properties"].items():
        shown = key if key.isidentifier() else json.dumps(key)
        yield f"  {shown}{'' if key in required else '?'}: {typescript_type(field)};"
    yield "}"


def typescript_type(schema: Schema, prefix: str = "") -> str:
    """Return the type of a schema; `prefix` precedes names of `types.ts`."""
    if "$ref" in schema:
        return prefix + short_name(schema["$ref"].rsplit("/", 1)[1])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for join in ("anyOf", "oneOf"):
        if join in schema:
            return " | ".join(dict.fromkeys(typescript_type(option, prefix) for option in schema[join]))
    return _container(schema, prefix)


def _container(schema: Schema, prefix: str) -> str:
    kind = schema.get("type")
    if kind == "array":
        inner = schema.get("prefixItems") or [schema.get("items", {})]
        return f"Array<{' | '.join(dict.fromkeys(typescript_type(item, prefix) for item in inner))}>"
    if kind == "object":
        more = schema.get("additionalProperties", True)
        return f"Record<string, {typescript_type(more, prefix) if isinstance(more, dict) else 'unknown'}>"
    return _SCALARS.get(str(kind), "unknown")


def write_operations(operations: Iterable[Operation]) -> str:
    """Return the module `operations.ts`. Uploads and streams are written by hand in `client.ts`."""
    lines = [
        f"// One method per operation. {NOTE}",
        'import { Transport, fill, type Content, type Page } from "./transport.js";',
        'import type * as types from "./types.js";',
        "",
        "export class Operations extends Transport {",
    ]
    for operation in operations:
        if not operation.upload and operation.kind is not SchemaKind.EVENTS:
            lines += [*_method(operation), ""]
    return "\n".join([*lines[:-1], "}"]) + "\n"


def _method(o: Operation) -> Iterator[str]:
    item = typescript_type(o.result.get("items", {}), "types.")
    shown = {
        SchemaKind.TEXT: "string",
        SchemaKind.CONTENT: "Content",
        SchemaKind.NOTHING: "void",
        SchemaKind.PAGE: f"Page<{item}>",
    }
    result = shown.get(o.kind) or typescript_type(o.result, "types.")
    generic = {SchemaKind.JSON: f"<{result}>", SchemaKind.PAGE: f"<{item}>"}.get(o.kind, "")
    yield f"  /** {o.summary.replace('*/', '* /')} */"
    yield f"  {camel(o.name)}({_signature(o)}): Promise<{result}> {{"
    yield f"    return this.{_CALLS[o.kind]}{generic}({_call(o)});"
    yield "  }"
    if o.kind is SchemaKind.PAGE:
        yield ""
        yield f"  /** Iterate over all items of `{camel(o.name)}`, page by page. */"
        yield f"  {camel('iter_' + o.name.removeprefix('list_'))}({_signature(o)}): AsyncGenerator<{item}> {{"
        yield f"    return this.iterate<{item}>({_call(o)});"
        yield "  }"


def _options(o: Operation) -> list[Parameter]:
    return [*o.query, *o.body, *([Parameter("idempotency_key", {"type": "string"})] if o.keyed else [])]


def _signature(o: Operation) -> str:
    parts = [f"{camel(p.name)}: {typescript_type(p.schema, 'types.')}" for p in o.path_parameters]
    if o.free_body:
        parts.append("body: Record<string, unknown>")
    options = _options(o)
    if options:
        inner = "; ".join(
            f"{p.name}{'' if p.required else '?'}: {typescript_type(p.schema, 'types.')}" for p in options
        )
        parts.append(f"options: {{ {inner} }}" + ("" if any(p.required for p in options) else " = {}"))
    return ", ".join(parts)


def _call(o: Operation) -> str:
    path = json.dumps(o.path)
    if o.path_parameters:
        path = f"fill({path}, {{ {', '.join(f'{p.name}: {camel(p.name)}' for p in o.path_parameters)} }})"
    parts = [f'method: "{o.method}"', f"path: {path}"]
    for slot, values in (("query", o.query), ("body", o.body)):
        if values:
            parts.append(f"{slot}: {{ {', '.join(f'{p.name}: options.{p.name}' for p in values)} }}")
    if o.free_body:
        parts.append("body")
    if o.keyed:
        parts.append("keyed: true, idempotencyKey: options.idempotency_key")
    if o.repeatable and o.method == "POST":
        parts.append("repeatable: true")
    return f"{{ {', '.join(parts)} }}"
