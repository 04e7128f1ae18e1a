import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../shared/tooling/programs.mjs';
import { gitFiles } from '../support/tree.ts';
import { isComment, readSources } from './sources.ts';

/** Words of the former dialect and the personification of programs. A reminder: reading aloud is the real test. */
const dialect =
  /\b(?:nobody|somebody|whoever|whom|he|him|his|tells?|told|hears?|heard|believes?|believed|(?<!there )is none|taken back|takes back)\b/i;

const product = readSources().filter(
  ({ path }) => !path.startsWith('test/') && path !== 'shared/client/operations.ts',
);

it('comments of the product use plain words', () => {
  const found = product.flatMap(({ path, lines }) =>
    lines
      .map((line, index) => ({ line, at: `${path}:${index + 1}` }))
      .filter(({ line }) => isComment(line) && dialect.test(line.replaceAll(/`[^`]*`|@param \w+/g, '')))
      .map(({ line, at }) => `${at} ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

it.each(['README.md', 'shared/openapi/openapi.json'])('%s uses plain words', (path) => {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  expect(lines.filter((line) => dialect.test(line))).toEqual([]);
});

/** The record of who did what is the audit log; state changes of the fleet are in the monitoring journal. */
const otherNames = /audit\W+(?:journal|trail)|журнал\p{L}* (?!аудита|мониторинга)/iu;

it('the audit log and the monitoring journal have one name each', async () => {
  expect('writes the audit\n * journal').toMatch(otherNames);
  expect('журнал событий').toMatch(otherNames);
  expect('the audit log, the monitoring journal, журнал аудита').not.toMatch(otherNames);
  const files = (await gitFiles(root)).filter(
    (file) => /\.(?:ts|md|json|html|sql|toml|ya?ml)$/.test(file) && !file.startsWith('test/structure/'),
  );
  expect(files).toContain('shared/openapi/openapi.json');
  expect(files.filter((file) => otherNames.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});
