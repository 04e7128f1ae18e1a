/** Writes Python classes of every schema of an OpenAPI document to standard output: `python-classes.mjs <document>`. */
import { readFileSync } from 'node:fs';
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

const { components } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
for (const [name, schema] of Object.entries(components.schemas))
  await input.addSource({ name, schema: JSON.stringify({ ...schema, components }) });
const inputData = new InputData();
inputData.addInput(input);
const { lines } = await quicktype({
  inputData,
  lang: 'python',
  rendererOptions: { 'python-version': '3.7' },
});
process.stdout.write(lines.join('\n'));
