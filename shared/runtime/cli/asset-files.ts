import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Assets } from '../../http/assets.ts';
import { documentFor } from '../../http/document-portals.ts';
import { documentForms } from '../../http/document-text.ts';
import { hasAdministration, type PortalType } from '../../modules.ts';
import { assetsIn } from '../node-assets.ts';

const pages = new URL('../../../functions/assets/', import.meta.url);
const reference = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));
const qrCode = new URL(import.meta.resolve('qrcode-generator'));
const document = new URL('../../openapi/openapi.json', import.meta.url);

const ofReference = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const types: readonly PortalType[] = ['admin', 'universal'];
const isForm = (form: string): form is keyof typeof documentForms => Object.hasOwn(documentForms, form);

/** All that pages and documents are made of, as it stands in the tree; documents are made when they are asked for. */
export function ownAssets(): Assets {
  const files = assetsIn([pages, reference]);
  const made = new Map<string, string>();
  return {
    text: async (name) => {
      const text = made.get(name) ?? (name === qrCodeName ? await qrCodeScript() : await documentNamed(name));
      if (text === undefined) return files.text(name);
      made.set(name, text);
      return text;
    },
  };
}

/** Puts all of it into one folder, as it is deployed. @returns bytes by name */
export async function writeAssets(folder: string): Promise<Record<string, number>> {
  const assets = ownAssets();
  const documents = types
    .filter(hasAdministration)
    .flatMap((type) => Object.keys(documentForms).map((form) => `openapi.${type}.${form}`));
  const names = [...(await readdir(fileURLToPath(pages))), ...ofReference, qrCodeName, ...documents];
  const sizes: Record<string, number> = {};
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    const text = await assets.text(name);
    await writeFile(join(folder, name), text);
    sizes[name] = Buffer.byteLength(text);
  }
  return sizes;
}

const qrCodeName = 'qr-code.js';

/** Scripts of pages are modules, which share what is global only. */
const qrCodeScript = async (): Promise<string> =>
  `${await readFile(qrCode, 'utf8')}\nglobalThis.qrcode = qrcode;\n`;

/** `openapi.<portal type>.<form>`; undefined for any other name. */
async function documentNamed(name: string): Promise<string | undefined> {
  const [stem, given, form = ''] = name.split('.');
  const type = types.find((one) => one === given);
  if (stem !== 'openapi' || !type || !isForm(form)) return undefined;
  return documentForms[form](documentFor(JSON.parse(await readFile(document, 'utf8')), type));
}
