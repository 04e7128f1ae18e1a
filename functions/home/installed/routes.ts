import { z } from 'zod';
import { pictureTypes } from '../../../shared/http/declare/pictures.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { endpoint } from '../deps.ts';
import { icon, manifest, offlinePage, serviceWorker } from './usecases.ts';

/** What browsers need to install the page of the user as an app. All of it is public, and nothing in it concerns a user. */
export const installedOperations = [
  endpoint(
    {
      id: 'home.getManifest',
      route: 'GET /home/app.webmanifest',
      access: 'public',
      summary: 'Get the web app manifest of the page of the user',
      description: 'Name, colours and icons are those of the theme. The language follows `Accept-Language`.',
      returns: [200, null],
      alsoReturns: ['application/manifest+json'],
    },
    (ctx) => manifest(ctx),
  ),
  endpoint(
    {
      id: 'home.getIcon',
      route: 'GET /home/icons/{file}',
      access: 'public',
      summary: 'Get an icon of the installed page of the user',
      params: z.object({
        file: z
          .string()
          .regex(/^[\w-]{1,40}\.(?:png|svg|webp)$/)
          .max(45)
          .meta({ description: 'Icon that the manifest names.', example: 'icon-192.png' }),
      }),
      conditional: true,
      returns: [200, null],
      alsoReturns: [...pictureTypes],
      errors: ['not_found'],
    },
    (ctx, { params: { file } }) => icon(ctx, file),
  ),
  endpoint(
    {
      id: 'home.getWorker',
      route: 'GET /home/worker.js',
      access: 'public',
      summary: 'Get the service worker of the page of the user',
      description:
        'It stores the files of the page and shows `/home/offline` while the portal does not respond.',
      conditional: true,
      returns: [200, null],
      alsoReturns: ['text/javascript'],
    },
    (ctx) => serviceWorker(ctx),
  ),
  endpoint(
    {
      id: 'home.getOffline',
      route: 'GET /home/offline',
      access: 'public',
      summary: 'Get the page for the time without the portal',
      description: 'Browsers store it. It opens the page of the user as soon as the portal responds.',
      query: z.strictObject({
        language: z
          .enum(languages)
          .optional()
          .describe('Language of the page: `en` or `ru`. Default: as `Accept-Language`.'),
      }),
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    (ctx, { query: { language } }) => offlinePage(ctx, language),
  ),
];
