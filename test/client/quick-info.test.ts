import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../shared/tooling/build/bundles.ts';
import { type LanguageServer, openInLanguageServer } from '../support/documents/language-server.ts';

const file = join(root, 'shared/client/operations.ts');
const lines = readFileSync(file, 'utf8').split('\n');

/** A comment, and the member or type on the line after it. */
const commented = lines.flatMap((text, at) => {
  const comment = /^\s*\/\*\* (.*) \*\/$/.exec(text)?.[1];
  const [, margin = '', name = ''] =
    /^(\s*)(?:export (?:type|const) )?"?([\w.:-]+)/.exec(lines[at + 1] ?? '') ?? [];
  return comment === undefined ? [] : [{ comment, name, margin, line: at + 1 }];
});

let server: LanguageServer;
beforeAll(async () => {
  server = await openInLanguageServer(file);
}, 60_000);
afterAll(() => server?.close());

describe('an editor', () => {
  it('shows each comment on a line of its own', () => {
    expect(lines.filter((text) => text.includes('/**') && !/^\s*\/\*\*/.test(text))).toEqual([]);
    expect(commented.length).toBeGreaterThan(500);
  });

  it('shows the comment of every operation and of properties', { timeout: 120_000 }, async () => {
    const isOperation = ({ margin }: { margin: string }) => margin === '  ';
    const members = commented.filter((one) => !isOperation(one));
    // A response takes some 40 ms: every twentieth member or so is enough.
    const some = members.filter((_, at) => at % Math.ceil(members.length / 30) === 0);
    const answers = [...commented.filter(isOperation), ...some].map(async ({ comment, name, line }) => {
      const shown = await server.hover({ line, character: (lines[line] ?? '').indexOf(name) });
      // Markdown of the comment is displayed unchanged.
      return shown.includes(JSON.stringify(comment).slice(1, -1)) ? [] : [`${line + 1} ${name}: ${shown}`];
    });
    const silent = (await Promise.all(answers)).flat();
    expect(silent).toEqual([]);
  });

  it('shows a comment for each operation', () => {
    const operations = lines
      .filter((text) => /^ {2}'[\w.]+': \{ method:/.test(text))
      .map((text) => text.split("'")[1]);
    const described = commented.filter(({ margin }) => margin === '  ').map(({ name }) => name);
    expect(operations.length).toBeGreaterThan(200);
    expect(operations.filter((id) => !described.includes(id ?? ''))).toEqual([]);
  });
});
