import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { testCache } from './cache.ts';

/**
 * A folder that takes long to make, and that later runs use again. It must not be changed. Those with other stamps are removed.
 * @param kind a folder of the cache
 * @param stamp of everything that the content depends on
 * @param make writes the content into a folder that does not exist yet
 */
export async function preparedFolder(
  kind: string,
  stamp: string,
  make: (part: string) => Promise<void>,
): Promise<string> {
  const parent = join(testCache, kind);
  const folder = join(parent, stamp);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const part = `${folder}.${process.pid}.part`;
  await make(part);
  // A run at the same time may have been faster.
  await rename(part, folder).catch((error) => {
    if (!existsSync(folder)) throw error;
    return rm(part, { recursive: true });
  });
  const others = readdirSync(parent).filter((name) => !name.endsWith('.part') && name !== stamp);
  for (const name of others) await rm(join(parent, name), { recursive: true, force: true });
  return folder;
}
