import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkOut, olderSchema, schemaOf } from '../support/audit/history.ts';
import { endOf } from '../support/processes/output.ts';
import { programVariables } from '../support/program-variables.ts';
import { whereThereIs } from '../support/services.ts';
import { root } from './support/portal-process.ts';

const older = olderSchema();

/** A test of that tree: its own requests to its own portal on the schema of the current one. */
const test = `import { describePath } from './paths/path.ts';
import { nodeTarget } from './twins/targets.ts';

describePath({ ...nodeTarget, command: ['${join(root, 'test/support/processes/upgraded-portal.ts')}'] });
`;

whereThereIs('commit with an older schema since the first migration', older !== undefined)(
  `a version before the last change of the schema${older === undefined ? '' : ` (${older})`}`,
  () => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'aggregator-upgrade-'));
      checkOut(older ?? '', folder);
      await writeFile(join(folder, 'test', 'e2e', 'upgrade-path.test.ts'), test);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('has an older schema', () => {
      const [then, here] = [schemaOf(folder), schemaOf(root)];
      expect(here.migrations.slice(0, then.migrations.length)).toEqual(then.migrations);
      expect(then.stampedAt).toBeLessThanOrEqual(here.stampedAt);
      expect(then).not.toEqual(here);
    });

    it('works completely on the current schema, including its sidecar', {
      timeout: 600_000,
    }, async () => {
      const { code, output } = await runVitest(folder, 'test/e2e/upgrade-path.test.ts');
      expect(output).toMatch(/^[1-9]\d+ passed, 0 failed$/m);
      expect(code).toBe(0);
    });
  },
);

async function runVitest(folder: string, path: string): Promise<{ code: number | null; output: string }> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--config', 'test/vitest.config.ts', path], {
    cwd: folder,
    // No variable of this run, which would make it a part of the run.
    env: { ...programVariables, HOME: process.env.HOME, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await endOf(child);
  return { code, output: stdout + stderr };
}
