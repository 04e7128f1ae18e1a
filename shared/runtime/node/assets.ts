import { readFile } from 'node:fs/promises';
import type { Assets } from '../../http/pages/assets.ts';

/** Assets in local folders; the first folder with the file is used. */
export function assetsIn(folders: readonly URL[]): Assets {
  const bytes: Assets['bytes'] = async (name) => {
    for (const folder of folders) {
      const content = await contentOf(new URL(name, folder));
      if (content) return new Uint8Array(content);
    }
    throw new Error(`the asset ${name} is missing in ${folders.join(', ')}`);
  };
  return {
    bytes,
    text: async (name) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytes(name)),
  };
}

async function contentOf(file: URL): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
