import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply } from '../../../shared/tooling/configuration/apply.ts';
import { exportText } from '../../../shared/tooling/configuration/export.ts';
import { createOperator } from '../../../shared/tooling/configuration/records/operator.ts';
import { type Ask, asker } from '../factories.ts';
import { newSecretKey } from '../identity/signing-keys.ts';
import { adminPassword, startPortal, type TestPortal } from '../portal.ts';

type Applied = { output: string; fault: string };

/** A portal on a separate database, to which configuration files are applied. */
export type ConfiguredPortal = {
  portal: TestPortal;
  admin: Ask;
  /** Applies a text as a file; an error is returned instead of thrown. */
  apply(
    text: string,
    given?: { prune?: boolean; dryRun?: boolean; env?: NodeJS.ProcessEnv },
  ): Promise<Applied>;
  export(): Promise<string>;
  /** The folder of the files. */
  folder: string;
  close(): Promise<void>;
};

export async function startConfigured(
  given: Parameters<typeof startPortal>[0] = {},
): Promise<ConfiguredPortal> {
  const portal = await startPortal({ secretKeys: [newSecretKey()], ...given });
  const admin = asker(portal, await portal.login('admin', adminPassword));
  const folder = mkdtempSync(join(tmpdir(), 'aggregator-configuration-'));
  let files = 0;
  return {
    portal,
    admin,
    folder,
    apply: async (text, { prune = false, dryRun = false, env = {} } = {}) => {
      const path = join(folder, `configuration-${++files}.yaml`);
      writeFileSync(path, text);
      let output = '';
      const say = (words: string): void => {
        output += words;
      };
      try {
        await apply(portal.deps, { path, env, prune, dryRun, say });
        return { output, fault: '' };
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ConfigurationFault') throw error;
        return { output, fault: error.message.replaceAll(`${folder}/`, '') };
      }
    },
    export: async () => exportText(await createOperator(portal.deps)),
    close: () => portal.close(),
  };
}
