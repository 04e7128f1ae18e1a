import { z } from 'zod';
import { Document } from '../../../shared/http/answer.ts';
import { etagOf } from '../../../shared/http/conditions.ts';
import { readBranding, renderPage } from '../../../shared/http/page.ts';
import { modules } from '../../../shared/modules.ts';
import { endpoint } from '../deps.ts';

/** What the page asks for when it has been loaded, with their media types. */
const files: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};
/** They change with the version of the portal only, and belong to whoever has a session. */
const kept = { 'cache-control': 'private, max-age=3600' };

export const docsOperations = [
  endpoint(
    {
      id: 'docs.get',
      route: 'GET /api/docs/',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'The interactive reference',
      description: 'It calls the API as the signed-in user; without a browser session it leads to `/signin`.',
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    async ({ deps, principal: { user } }) => {
      const { branding } = await readBranding(deps);
      return renderPage(deps.assets, {
        name: 'docs',
        scripts: ['docs.js'],
        // The document is in English.
        language: 'en',
        branding,
        values: { user: user.realName || user.name },
        facts: {
          files: Object.keys(files).map((file) => `/api/docs/${file}`),
          modules: Object.fromEntries(modules.map((module) => [module.name, module.purpose])),
        },
        loadsOwnFiles: true,
      });
    },
  ),
  endpoint(
    {
      id: 'docs.getFile',
      route: 'GET /api/docs/{file}',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'A file of the interactive reference',
      params: z.object({
        file: z
          .enum(Object.keys(files))
          .describe('File of the reference: `swagger-ui-bundle.js` or `swagger-ui.css`.'),
      }),
      conditional: true,
      returns: [200, null],
      alsoReturns: ['text/javascript', 'text/css'],
    },
    async ({ deps }, { params: { file } }) => {
      const text = await deps.assets.text(file);
      return new Document(text, files[file] ?? 'text/plain', { ...kept, etag: etagOf(0, text) });
    },
  ),
];
