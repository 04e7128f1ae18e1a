import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { glob, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bundle, bundleAll, type Platform, root } from '../../shared/tooling/build/bundles.ts';

const cache = join(root, 'node_modules', '.cache', 'test-bundles');
/** A build takes seconds; an older lock belongs to a process that was killed. */
const abandonedMs = 120_000;

/**
 * Returns the bundles of all modules, which must not be changed. They are built once per state of the sources and shared
 * by all test processes, because a build takes as long as most test files.
 */
export async function builtBundles(platform: Platform): Promise<Bundle[]> {
  const folder = join(cache, await digestOfSources());
  const list = join(folder, `${platform}.json`);
  const lock = join(cache, `${platform}.lock`);
  for (;;) {
    const built = await readFile(list, 'utf8').catch(() => undefined);
    if (built !== undefined) return JSON.parse(built);
    if (isTaken(lock)) await released(lock);
    else await buildUnless(list, platform).finally(() => rm(lock, { recursive: true, force: true }));
  }
}

/** Another process may have built them before this one took the lock. */
async function buildUnless(list: string, platform: Platform): Promise<void> {
  if (existsSync(list)) return;
  const folder = dirname(list);
  await deleteOutdated(basename(folder));
  const bundles = await bundleAll(platform, folder);
  // Renamed when complete, because other processes read it at any time.
  await writeFile(`${list}.part`, JSON.stringify(bundles));
  await rename(`${list}.part`, list);
}

async function deleteOutdated(current: string): Promise<void> {
  const outdated = (await readdir(cache)).filter((name) => name !== current && !name.endsWith('.lock'));
  for (const name of outdated) await rm(join(cache, name), { recursive: true, force: true });
}

function isTaken(lock: string): boolean {
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return true;
    throw error;
  }
}

async function released(lock: string): Promise<void> {
  const taken = await stat(lock).catch(() => undefined);
  if (taken && Date.now() - taken.mtimeMs > abandonedMs) await rm(lock, { recursive: true, force: true });
  await delay(50);
}

let digest: Promise<string> | undefined;

/** Changes with the time or size of any file that a bundle can contain. */
function digestOfSources(): Promise<string> {
  digest ??= (async () => {
    const hash = createHash('sha256');
    const sources = glob(['{functions,shared,db}/**/*', 'package-lock.json'], { cwd: root });
    const files: string[] = [];
    for await (const file of sources) files.push(file);
    for (const file of files.sort()) {
      const { size, mtimeMs } = await stat(join(root, file));
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
    return hash.digest('hex').slice(0, 16);
  })();
  return digest;
}
