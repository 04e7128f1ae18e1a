import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { documentFor } from '../../http/document/portals.ts';
import { documentForms } from '../../http/document/text.ts';
import type { Assets } from '../../http/pages/assets.ts';
import { webPagesName } from '../../http/pages/web-pages.ts';
import { hasAdministration, type PortalType } from '../../modules.ts';
import { assetsIn } from '../../runtime/node/assets.ts';
import { builtWebPages } from './web-folder.ts';

const pages = new URL('../../../functions/assets/', import.meta.url);
const styles = new URL('../../web/styles/', import.meta.url);
const texts = new URL('../../messages/pages/', import.meta.url);
const icons = new URL('../../web/icons/', import.meta.url);
const document = new URL('../../openapi/openapi.json', import.meta.url);

const types: readonly PortalType[] = ['admin', 'universal'];
const isForm = (form: string): form is keyof typeof documentForms => Object.hasOwn(documentForms, form);

/** All assets and documents from the source tree. Documents are generated on demand. */
export function ownAssets(): Assets {
  const files = assetsIn([pages, styles, texts, icons]);
  let built: Assets | undefined;
  const webFiles = async (): Promise<Assets> => {
    const found = built ?? assetsIn([pathToFileURL(`${await builtWebPages()}/`)]);
    built = found;
    return found;
  };
  const made = new Map<string, string>();
  return {
    bytes: files.bytes,
    text: async (name) => {
      const text = made.get(name) ?? (await documentNamed(name));
      if (text === undefined) return (isWebFile(name) ? await webFiles() : files).text(name);
      made.set(name, text);
      return text;
    },
  };
}

/** Writes all assets into one folder for deployment. @returns bytes by name */
export async function writeAssets(folder: string): Promise<Record<string, number>> {
  const assets = ownAssets();
  const documents = types
    .filter(hasAdministration)
    .flatMap((type) => Object.keys(documentForms).map((form) => `openapi.${type}.${form}`));
  const sources = [
    ...[pages, styles, texts, icons].map((folder) => fileURLToPath(folder)),
    await builtWebPages(),
  ];
  const folders = await Promise.all(sources.map((source) => readdir(source)));
  const names = [...folders.flat().filter((name) => !name.endsWith('.map')), ...documents];
  const sizes: Record<string, number> = {};
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    const content = name.endsWith('.png') ? await assets.bytes(name) : Buffer.from(await assets.text(name));
    await writeFile(join(folder, name), content);
    sizes[name] = content.byteLength;
  }
  return sizes;
}

/** True for a file of a page that is built from browser code. */
const isWebFile = (name: string): boolean => name === webPagesName || /-[A-Z0-9]{8}\.(?:js|css)$/.test(name);

/** `openapi.<portal type>.<form>`; undefined for any other name. */
async function documentNamed(name: string): Promise<string | undefined> {
  const [stem, extension, form = ''] = name.split('.');
  const type = types.find((one) => one === extension);
  if (stem !== 'openapi' || !type || !isForm(form)) return undefined;
  return documentForms[form](documentFor(JSON.parse(await readFile(document, 'utf8')), type));
}
