import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../tooling/map/recordings.ts';
import { parseArguments } from '../../tooling/run/arguments.ts';
import { projects } from '../../tooling/run/tiers.ts';

describe('the arguments of npm test', () => {
  it('are paths, options of vitest with their values, and own options', () => {
    expect(parseArguments(['fast', 'test/unit', '-t', 'a title', '--bail', '1', '--record'])).toMatchObject({
      tier: 'fast',
      paths: ['test/unit'],
      options: ['-t', 'a title', '--bail', '1'],
      record: true,
      watch: false,
      affectedSince: undefined,
    });
  });

  it('have a revision for the affected tests, by default the last commit', () => {
    expect(parseArguments(['fast', '--affected'])).toMatchObject({ affectedSince: 'HEAD', options: [] });
    expect(parseArguments(['fast', '--affected=main~3'])).toMatchObject({ affectedSince: 'main~3' });
  });

  it('begin with a tier', () => {
    expect(() => parseArguments(['slow'])).toThrow('slow: the first argument is one of');
    expect(parseArguments(['all']).tier).toBe('all');
  });
});

describe('the tiers', () => {
  const files = globSync('test/**/*.test.ts', {
    cwd: root,
    exclude: (name) => name.endsWith('node_modules'),
  });
  const ownersOf = (file: string) =>
    projects.filter(
      ({ include, exclude = [], env }) =>
        env?.PORTAL_TYPE === undefined &&
        include.some((glob) => matchesGlob(file, glob)) &&
        !exclude.some((glob) => matchesGlob(file, glob)),
    );

  it('have each test file in one project', () => {
    expect(files.length).toBeGreaterThan(400);
    expect(files.filter((file) => ownersOf(file).length !== 1)).toEqual([]);
  });

  it('have no pattern without a file', () => {
    const patterns = projects.flatMap(({ include, exclude = [] }) => [...include, ...exclude]);
    expect(patterns.filter((glob) => !files.some((file) => matchesGlob(file, glob)))).toEqual([]);
  });
});
