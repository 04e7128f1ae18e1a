import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../../structure/sources.ts';
import { select } from '../../tooling/map/affected.ts';
import { isWithinFunctions, parseDiff } from '../../tooling/map/changes.ts';
import { readMap, writeMap } from '../../tooling/map/test-map.ts';

const whole = [{ from: 1, to: 1 }];
const changed = (path: string, exists = true) => ({ path, exists, lines: whole });

const [a, b, c] = ['test/api/a.test.ts', 'test/api/b.test.ts', 'test/pages/c.test.ts'] as const;
const map = new Map([
  [a, { sources: [a, 'shared/access/guard.ts', 'shared/http/serve/app.ts'], cpuSeconds: 2 }],
  [b, { sources: [b, 'shared/http/serve/app.ts'], cpuSeconds: 1 }],
  [c, { sources: [c, 'shared/web/page.tsx'], cpuSeconds: 9 }],
]);
const sources = [
  parseSource('shared/access/guard.ts', "import { limit } from './limits.ts';"),
  parseSource('shared/access/limits.ts', "export { limit } from './numbers.ts';"),
  parseSource('shared/access/numbers.ts', 'export const limit = 3;'),
  parseSource('shared/access/unused.ts', ''),
  parseSource('shared/http/serve/app.ts', "import { guard } from '../../access/guard.ts';"),
];
const all = [a, b, c];
const affectedBy = (...changes: ReturnType<typeof changed>[]) => {
  const { files, reasons } = select(changes, { map, all, sources });
  return { files: [...files].sort(), reasons };
};

describe('the affected tests of a change', () => {
  it('are those that execute the file', () => {
    expect(affectedBy(changed('shared/web/page.tsx')).files).toEqual([c]);
  });

  it('outside of functions are also those of the files that import it', () => {
    expect(affectedBy(changed('shared/access/guard.ts')).files).toEqual([a, b]);
  });

  it('in a file of constants are those that execute the nearest importers with functions', () => {
    expect(affectedBy(changed('shared/access/numbers.ts')).files).toEqual([a]);
  });

  it('are all of them, with the reason, for a file that no test is known to execute', () => {
    const { files, reasons } = affectedBy(changed('shared/access/unused.ts'));
    expect(files).toEqual(all);
    expect(reasons).toEqual(['shared/access/unused.ts: no test is known to execute it, so all are affected']);
    expect(affectedBy(changed('tsconfig.json')).files).toEqual(all);
  });

  it('are the declared ones for files that are no scripts', () => {
    expect(affectedBy(changed('shared/web/ui/table.module.css')).files).toEqual([c]);
    expect(affectedBy(changed('db/sql/audit.sql')).files).toEqual(all);
  });

  it('include a changed test file, and every test file that was not recorded', () => {
    const added = 'test/services/d.test.ts';
    const { files } = select([changed(b)], { map, all: [...all, added], sources });
    expect([...files]).toEqual([b, added]);
  });

  it('are none for a deleted test file', () => {
    expect(affectedBy(changed('test/api/gone.test.ts', false)).files).toEqual([]);
  });
});

describe('a changed line', () => {
  const text = 'const limit = 3;\nfunction f() {\n  return limit;\n}\nconst g = (a: number) => a > limit;\n';
  const isWithin = (from: number, to = from) =>
    isWithinFunctions({ path: 'shared/a.ts', exists: true, lines: [{ from, to }] }, text);

  it.each([
    ['of the body of a function is within it', 3, true],
    ['of the head of a function is not', 2, false],
    ['outside of functions is not', 1, false],
    ['that is a whole function is not', 5, false],
  ])('%s', (_, line, expected) => {
    expect(isWithin(line)).toBe(expected);
  });

  it('is not within functions if the change goes beyond one', () => {
    expect(isWithin(3, 5)).toBe(false);
  });
});

it('a diff names changed, deleted and added files with their lines', () => {
  const diff = `diff --git a/shared/a.ts b/shared/a.ts
index 1..2 100644
--- a/shared/a.ts
+++ b/shared/a.ts
@@ -3 +3,2 @@ function f() {
-old
+new
+line
@@ -9,2 +10,0 @@
-gone
-gone
diff --git a/shared/b.ts b/shared/b.ts
deleted file mode 100644
--- a/shared/b.ts
+++ /dev/null
@@ -1 +0,0 @@
-x
`;
  expect(parseDiff(diff)).toEqual([
    {
      path: 'shared/a.ts',
      exists: true,
      lines: [
        { from: 3, to: 4 },
        { from: 10, to: 10 },
      ],
    },
    { path: 'shared/b.ts', exists: false, lines: [{ from: 0, to: 0 }] },
  ]);
});

it('a map is the same after it was written and read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'map-'));
  try {
    expect(readMap(join(folder, 'map.json.gz'))).toBeUndefined();
    writeMap(map, join(folder, 'map.json.gz'));
    expect(readMap(join(folder, 'map.json.gz'))).toEqual(map);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
