import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Fault, switchModule, switchPath, withFaults } from './plant.ts';

/** Writes the faults into a copy of the sources. */
const { positionals } = parseArgs({ allowPositionals: true });
const [folder] = positionals;
if (!folder) throw new Error('usage: tree.ts <folder of a copy>');
const faults: Fault[] = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'));
for (const [path, own] of Map.groupBy(faults, (fault) => fault.path)) {
  const file = join(folder, path);
  writeFileSync(file, withFaults(path, readFileSync(file, 'utf8'), own));
}
writeFileSync(join(folder, switchPath), switchModule([]));
