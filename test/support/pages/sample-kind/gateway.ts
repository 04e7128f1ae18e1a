import './type.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiDocument, catalogueOf } from '../../../../shared/client/catalogue/catalogue.ts';
import { localize } from '../../../../shared/client/catalogue/localize.ts';
import { documentOf } from '../../../../shared/http/document/document.ts';
import { historyOf } from '../../../../shared/http/records/history/operations.ts';
import { createModule } from '../../../../shared/http/serve/app.ts';
import type { Language } from '../../../../shared/messages/languages.ts';
import { recordWords } from '../../../../shared/messages/records/records.ts';
import { resources } from '../../../../shared/resources.ts';
import { root } from '../../../../shared/tooling/build/bundles.ts';
import type { World } from '../../factories.ts';
import { createSamples, sampleCrud } from './record.ts';

type Fetch = World['portal']['portal']['fetch'];

/** The portal of a world with one more type of records, as if it had been declared and the pages had been built with it. */
export async function withSamples({ portal }: World): Promise<Fetch> {
  await createSamples(portal.ownerDb);
  const { operations } = sampleCrud;
  const samples = createModule('webui', portal.deps, [...operations, ...historyOf(sampleCrud, operations)]);
  const catalogues = await cataloguesWith(JSON.parse(JSON.stringify(documentOf([samples]))));
  return async (request, invocation) => {
    const { pathname } = new URL(request.url);
    const language = /\/console-records-(en|ru)-\w+\.js$/.exec(pathname)?.[1];
    if (language) return scriptOf(catalogues[language as Language]);
    const isSample = pathname.startsWith('/api/webui/aggregator/samples');
    return isSample ? samples.fetch(request, invocation) : portal.portal.fetch(request, invocation);
  };
}

async function cataloguesWith(own: ApiDocument): Promise<Record<Language, string>> {
  const text = await readFile(join(root, 'shared/openapi/openapi.json'), 'utf8');
  const document: ApiDocument = JSON.parse(text);
  const kinds = [document, own].flatMap((one) => catalogueOf(one, resources, '/api/webui/').kinds);
  const scriptIn = (language: Language): string =>
    `export default ${JSON.stringify(localize({ kinds }, recordWords[language]))};`;
  return { en: scriptIn('en'), ru: scriptIn('ru') };
}

const scriptOf = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/javascript', 'cache-control': 'no-store' } });
