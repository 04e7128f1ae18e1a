/** Writes Python classes of every schema of an OpenAPI document to standard output: `python-classes.mjs <document>`. */
import { readFileSync } from 'node:fs';
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

const { components } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const { schemas } = components;

/** The schemas that a part refers to, and those that these refer to; the generator reads all that it is given. */
function referredIn(part, known = new Map()) {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"/]+)/g)) {
    if (known.has(name)) continue;
    known.set(name, schemas[name]);
    referredIn(schemas[name], known);
  }
  return known;
}

const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
for (const [name, schema] of Object.entries(schemas)) {
  const own = { ...schema, components: { schemas: Object.fromEntries(referredIn(schema)) } };
  await input.addSource({ name, schema: JSON.stringify(own) });
}
const inputData = new InputData();
inputData.addInput(input);
const { lines } = await quicktype({
  inputData,
  lang: 'python',
  rendererOptions: { 'python-version': '3.7' },
});
process.stdout.write(lines.join('\n'));
