/** Runs compiled TypeScript samples one after the other and writes one JSON line for each: id, status, output. */
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let lines = [];
console.log = (...values) => void lines.push(format(...values));

for (const { id, file, env } of await json(process.stdin)) {
  Object.assign(process.env, env);
  lines = [];
  const status = await import(pathToFileURL(file).href).then(
    () => 0,
    (error) => {
      lines.push(String(error));
      return error.status ?? -1;
    },
  );
  print({ id, status, output: lines.join('\n') });
}
