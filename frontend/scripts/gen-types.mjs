// Writes src/wire/types.ts from src/wire/schema.json, which `go run ./cmd/gen`
// writes from the Go types. With --check it changes nothing and fails when the
// file is not what it would write.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const wire = new URL("../src/wire/", import.meta.url);
const schema = JSON.parse(await readFile(new URL("schema.json", wire), "utf8"));

// Naming every definition from the root keeps those that no other refers to.
const names = Object.keys(schema.$defs).sort();
const root = {
  ...schema,
  title: "Wire",
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
  required: names,
};

const compiled = await compile(root, "Wire", {
  additionalProperties: false,
  bannerComment: "/* Generated from the Go types by `go run ./cmd/gen` and `npm run gen`. Do not edit. */",
  declareExternallyReferenced: true,
  style: { semi: false, singleQuote: true, printWidth: 100 },
  unknownAny: true,
  // A bound on a list is the daemon's to check; as tuples it would be types without end.
  ignoreMinAndMaxItems: true,
});
// The root is only there to name the rest.
const types = compiled.replace(/export interface Wire \{[^}]*\}\n/, "");

const target = new URL("types.ts", wire);
if (process.argv.includes("--check")) {
  if ((await readFile(target, "utf8")) !== types) {
    console.error("src/wire/types.ts is stale: run `npm run gen` in frontend");
    process.exitCode = 1;
  }
} else {
  await writeFile(target, types);
}
