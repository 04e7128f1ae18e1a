import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiDocument, catalogueOf } from '../../client/catalogue/catalogue.ts';
import { localize } from '../../client/catalogue/localize.ts';
import type { LocalizedCatalogue } from '../../client/catalogue/record-kinds.ts';
import type { Language } from '../../messages/languages.ts';
import { recordWords } from '../../messages/records/records.ts';
import { resources } from '../../resources.ts';
import { root } from '../programs.mjs';

/** The record kinds of administration in the committed document, with the texts of one language, without marks of Markdown. */
export async function recordCatalogue(language: Language): Promise<LocalizedCatalogue> {
  const text = await readFile(join(root, 'shared/openapi/openapi.json'), 'utf8');
  const document: ApiDocument = JSON.parse(text);
  const catalogue = localize(catalogueOf(document, resources, '/api/webui/'), recordWords[language]);
  return JSON.parse(JSON.stringify(catalogue), (_, value) =>
    typeof value === 'string' ? value.replace(/`([^`]+)`/g, '$1') : value,
  );
}
