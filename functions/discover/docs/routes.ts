import { z } from 'zod';
import { type Assets, digestsName } from '../../../shared/http/pages/assets.ts';
import { readBranding, renderPage } from '../../../shared/http/pages/page.ts';
import { Document } from '../../../shared/http/serve/answer.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { modules } from '../../../shared/modules.ts';
import { endpoint } from '../deps.ts';

/** Files that the page loads, with their media types. */
const files: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};
/** The address contains the digest of the content, so the file never changes. */
const immutable = { 'cache-control': 'public, max-age=31536000, immutable' };

const Digest = z
  .string()
  .regex(/^[\w-]{16}$/)
  .max(16)
  .meta({ description: 'Digest of the content of the file.', example: 'n4bQgYhMfWWaL-qg' });

/** Public content of Swagger UI: compressing it reveals nothing. */
const publicText = { isCompressible: true };

const digestsIn = async (assets: Assets): Promise<Record<string, string>> =>
  JSON.parse(await assets.text(digestsName));

export const docsOperations = [
  endpoint(
    {
      id: 'docs.get',
      route: 'GET /api/docs/',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'Open the interactive API reference',
      description:
        'The reference calls the API as the signed-in user. Without a browser session it redirects to `/signin`.',
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    async ({ deps, principal: { user } }) => {
      const [{ branding }, digests] = await Promise.all([readBranding(deps), digestsIn(deps.assets)]);
      return renderPage(deps.assets, {
        name: 'docs',
        scripts: ['docs.js'],
        // The document is in English.
        language: 'en',
        branding,
        values: { user: user.realName || user.name },
        facts: {
          files: Object.keys(files).map((file) => `/api/docs/${digests[file]}/${file}`),
          modules: Object.fromEntries(modules.map((module) => [module.name, module.purpose])),
        },
        loadsOwnFiles: true,
      });
    },
  ),
  endpoint(
    {
      id: 'docs.getFile',
      route: 'GET /api/docs/{digest}/{file}',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'Get a file of the interactive API reference',
      params: z.object({
        digest: Digest,
        file: z
          .enum(Object.keys(files))
          .describe('File of the reference: `swagger-ui-bundle.js` or `swagger-ui.css`.'),
      }),
      conditional: true,
      returns: [200, null],
      alsoReturns: ['text/javascript', 'text/css'],
    },
    async ({ deps: { assets } }, { params: { digest, file } }) => {
      if ((await digestsIn(assets))[file] !== digest) throw notFound();
      const headers = { ...immutable, etag: `"${digest}"` };
      return new Document(await assets.text(file), files[file] ?? 'text/plain', headers, publicText);
    },
  ),
];
