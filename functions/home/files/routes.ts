import { z } from 'zod';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { Document } from '../../../shared/http/serve/answer.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { endpoint } from '../deps.ts';

const FileParams = z.object({
  file: z
    .string()
    .regex(/^[\w-]{1,80}\.(?:js|css)$/)
    .max(84)
    .meta({
      description: 'File of the page. Its name contains a digest of its content.',
      example: 'home-ABCDEFGH.js',
    }),
});

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

export const fileOperations = [
  endpoint(
    {
      id: 'home.getFile',
      route: 'GET /home/files/{file}',
      access: 'public',
      summary: 'Get a file of the page of the user',
      params: FileParams,
      conditional: true,
      returns: [200, null],
      alsoReturns: ['text/javascript', 'text/css'],
    },
    async ({ deps: { assets } }, { params: { file } }) => {
      const { script, style, first, later, texts } = await webPageOf(assets, 'home');
      const files = [script, style, ...first, ...later, ...Object.values(texts)];
      if (!files.includes(file)) throw notFound();
      const headers = { 'cache-control': 'public, max-age=31536000, immutable', etag: `"${file}"` };
      const type = mediaTypes[file.slice(file.lastIndexOf('.') + 1)] ?? 'text/plain';
      // The content is public, so compressing it reveals nothing.
      return new Document(await assets.text(file), type, headers, { isCompressible: true });
    },
  ),
];
