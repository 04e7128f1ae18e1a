import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../e2e/support/portal-process.ts';

/** Up to here nothing was deployed anywhere. */
const firstToAdd = 22;
/** What functions of the version before may not live without, while they are replaced. */
const takesAway = /\bDROP (?:COLUMN|TABLE|INDEX|CONSTRAINT)\b|\bRENAME\b|\bSET NOT NULL\b|\bSET DATA TYPE\b/i;

const folder = join(root, 'db', 'migrations');
const migrations = readdirSync(folder).filter((name) => /^\d{4}_.*\.sql$/.test(name));

it('migrations only add', () => {
  const deployed = migrations.filter((name) => Number(name.slice(0, 4)) >= firstToAdd);
  const narrowing = deployed.filter((name) => takesAway.test(readFileSync(join(folder, name), 'utf8')));
  expect(narrowing).toEqual([]);
  expect(migrations.length).toBeGreaterThanOrEqual(firstToAdd);
});
