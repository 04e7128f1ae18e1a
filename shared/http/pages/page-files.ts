import { z } from 'zod';
import { notFound } from '../../kernel/errors.ts';
import type { HttpDeps } from '../context.ts';
import { endpointIn, type Operation } from '../declare/operation.ts';
import { Document } from '../serve/answer.ts';
import { webPageOf } from './app-page.ts';
import type { Assets } from './assets.ts';
import { filesOf, type WebPageName, webPages } from './web-pages.ts';

type PageDeps = HttpDeps & { assets: Assets };

const endpoint = endpointIn<PageDeps>();

/**
 * Declares `GET <files>/{file}`, which returns the built files of a page.
 * @param id of the operation
 * @param browser if present, only browser sessions of the administrator portal get the files
 */
export const pageFiles = (
  page: WebPageName,
  { id, summary, browser }: { id: string; summary: string; browser?: 'administrator' },
): Operation<PageDeps> =>
  endpoint(
    {
      id,
      route: `GET ${webPages[page].files}/{file}`,
      access: browser ? 'signed-in' : 'public',
      ...(browser && { browser }),
      summary,
      params: z.object({
        file: z
          .string()
          .regex(/^[\w-]{1,80}\.(?:js|css)$/)
          .max(84)
          .meta({ example: `${page}-ABCDEFGH.js` })
          .describe('File of the page. Its name contains a digest of its content.'),
      }),
      conditional: true,
      returns: [200, null],
      alsoReturns: ['text/javascript', 'text/css'],
    },
    async ({ deps: { assets } }, { params: { file } }) => {
      if (!filesOf(await webPageOf(assets, page)).includes(file)) throw notFound();
      // A shared cache would return files without the check of the session.
      const caches = browser ? 'private' : 'public';
      const headers = { 'cache-control': `${caches}, max-age=31536000, immutable`, etag: `"${file}"` };
      const type = `text/${file.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
      // The files contain no data, so compressing them reveals nothing.
      return new Document(await assets.text(file), type, headers, { isCompressible: true });
    },
  );
