import { describe, expect, it } from 'vitest';
import { checksOf } from '../../shared/tooling/check/tools.ts';
import { root } from '../../shared/tooling/programs.mjs';
import { describeViolation, importViolations, type Violation } from './rules.ts';
import { sizeViolations } from './sizes.ts';
import { readSources, readTopLevel } from './sources.ts';
import { nameViolations, textViolations, topLevelViolations } from './text-rules.ts';

const sources = readSources();

const expectNone = (violations: readonly Violation[]): void =>
  expect(violations.map(describeViolation)).toEqual([]);

describe('the repository tree', () => {
  it('is not empty', () => {
    const imports = sources.flatMap((source) => source.imports);
    expect(sources.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(sources.length);
  });

  it('has imports only from lower layers, and packages only where they are allowed', () =>
    expectNone(importViolations(sources)));

  it('has no forbidden text', () => expectNone(textViolations(sources)));

  it('has meaningful names', () => expectNone(nameViolations(sources)));

  it('has files and functions within the size limits', () => expectNone(sizeViolations(sources)));

  it('has exactly the declared top-level entries', () => expectNone(topLevelViolations(readTopLevel())));

  it('imports existing files only', () => {
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

it('the check of the OpenAPI document runs again after a change of each file that it loads', () => {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]));
  const loaded = new Set(['shared/tooling/document/lint.ts']);
  for (const path of loaded)
    for (const { target, isRelative } of importsOf.get(path) ?? []) if (isRelative) loaded.add(target);
  const check = checksOf(root)
    .lanes.flat()
    .find(({ name }) => name === 'OpenAPI');
  expect(loaded.size).toBeGreaterThan(3);
  expect([...loaded, 'shared/openapi/openapi.json'].filter((path) => !check?.reads?.(path))).toEqual([]);
});
