import { writeFileSync } from 'node:fs';
import type { Db } from '../../../db/client.ts';
import { withDatabase } from '../admin/database.ts';
import { fileReason } from '../start/file-faults.ts';
import { loadSettings } from '../start/settings.ts';
import { apply } from './apply.ts';
import { editorSchema } from './editor-schema.ts';
import { exportText } from './export.ts';
import { ConfigurationFault } from './file/fault.ts';
import { longestFile } from './file/yaml-file.ts';
import { type Section, sections } from './kinds.ts';
import { createOperator } from './records/operator.ts';
import { type PortalDeps, portalDeps } from './records/portal-deps.ts';

export type ApplyArguments = { dryRun: boolean; prune: boolean; tokensFile: string | undefined };
export type ExportArguments = { kinds: string | undefined; output: string | undefined };

/** `npm run admin -- apply <file>` @throws ConfigurationFault, ConfigError */
export const applyFile = (path: string, options: ApplyArguments): Promise<void> =>
  withPortal(({ deps }) =>
    apply(deps, { path, env: process.env, ...options, say: (text) => void process.stdout.write(text) }),
  );

/** `npm run admin -- export` @throws ConfigurationFault, ConfigError */
export const exportAll = ({ kinds, output }: ExportArguments): Promise<void> => {
  const selected = kinds === undefined ? sections : sectionsIn(kinds);
  return withPortal(async ({ deps }) => {
    const text = await exportText(await createOperator(deps), selected);
    if (Buffer.byteLength(text) > longestFile)
      process.stderr.write(
        'The export is larger than the limit of 1 MiB for apply; split it with --kinds.\n',
      );
    if (output === undefined) process.stdout.write(text);
    else writeNew(output, text);
  });
};

/** `npm run admin -- schema`; needs no database. */
export function printSchema(output: string | undefined): void {
  const text = `${JSON.stringify(editorSchema(), null, 2)}\n`;
  if (output === undefined) process.stdout.write(text);
  else writeNew(output, text);
}

async function withPortal(work: (portal: PortalDeps) => Promise<void>): Promise<void> {
  const settings = await loadSettings();
  await withDatabase(settings, async (db: Db) => {
    const portal = await portalDeps(db, settings.config);
    await work(portal).finally(portal.close);
  });
}

function sectionsIn(text: string): Section[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !sections.some((section) => section === name));
  if (unknown.length > 0)
    throw new ConfigurationFault(`--kinds: ${unknown.join(', ')}: must be of ${sections.join(', ')}`);
  return sections.filter((section) => names.includes(section));
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new ConfigurationFault(`${path}: cannot be written (${fileReason(error) ?? String(error)})`);
  }
}
