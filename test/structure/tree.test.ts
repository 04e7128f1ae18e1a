import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeViolation, importViolations, type Violation } from './rules.ts';
import { sizeViolations } from './sizes.ts';
import { readSources, readTopLevel } from './sources.ts';
import { nameViolations, textViolations, topLevelViolations } from './text-rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(root);

const expectNone = (violations: readonly Violation[]): void =>
  expect(violations.map(describeViolation)).toEqual([]);

describe('the tree', () => {
  it('is read at all', () => {
    const imports = sources.flatMap((source) => source.imports);
    expect(sources.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(sources.length);
  });

  it('imports only downwards, and packages only where they belong', () =>
    expectNone(importViolations(sources)));

  it('says nothing that is forbidden', () => expectNone(textViolations(sources)));

  it('has names that say something', () => expectNone(nameViolations(sources)));

  it('has files and functions of readable size', () => expectNone(sizeViolations(sources)));

  it('has a top level of fixed entries', () => expectNone(topLevelViolations(readTopLevel(root))));

  it('imports files that exist', () => {
    const paths = new Set(sources.map(({ path }) => path));
    const missing = sources.flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ target, isRelative }) => isRelative && /\.(?:ts|mjs|js)$/.test(target) && !paths.has(target),
        )
        .map(({ target, line }) => `${path}:${line} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });
});
