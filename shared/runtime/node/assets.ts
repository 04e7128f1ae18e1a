import { readFile } from 'node:fs/promises';
import type { Assets } from '../../http/pages/assets.ts';

/** Assets in local folders; the first folder with the file is used. */
export const assetsIn = (folders: readonly URL[]): Assets => ({
  text: async (name) => {
    for (const folder of folders) {
      const text = await textOf(new URL(name, folder));
      if (text !== undefined) return text;
    }
    throw new Error(`the asset ${name} is missing in ${folders.join(', ')}`);
  },
});

async function textOf(file: URL): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
