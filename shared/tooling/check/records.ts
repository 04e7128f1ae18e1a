import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digests } from './digests.ts';

/** The last run of a tool without errors. */
export type GreenRun = {
  /** Of the tools and their configuration: a run with others proves nothing. */
  configuration: string;
  inputs: Digests;
  /** Of the declarations of the inputs, for a tool that looks at other files. */
  declarations: Digests;
};

/** Beside `node_modules`, which each installation deletes. */
export const cacheFolder = (root: string): string => join(root, '.cache', 'check');

const fileOf = (root: string, tool: string): string =>
  join(cacheFolder(root), `${tool.replaceAll(/\W+/g, '-')}.json`);

/** @returns undefined if there is no record of this configuration, or the record is damaged */
export async function readGreenRun(
  root: string,
  tool: string,
  configuration: string,
): Promise<GreenRun | undefined> {
  try {
    const run: GreenRun = JSON.parse(await readFile(fileOf(root, tool), 'utf8'));
    return run.configuration === configuration && run.inputs && run.declarations ? run : undefined;
  } catch {
    return undefined;
  }
}

/** The file is replaced as a whole, because two checks can run at the same time. */
export async function writeGreenRun(root: string, tool: string, run: GreenRun): Promise<void> {
  const file = fileOf(root, tool);
  await mkdir(cacheFolder(root), { recursive: true });
  await writeFile(`${file}.${process.pid}`, JSON.stringify(run));
  await rename(`${file}.${process.pid}`, file);
}
