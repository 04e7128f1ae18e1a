import { pageFiles } from '../../../shared/http/pages/page-files.ts';
import { endpoint } from '../deps.ts';
import { homePage } from './usecases.ts';

export const pageOperations = [
  endpoint(
    {
      id: 'home.get',
      route: 'GET /home/',
      access: 'signed-in',
      needsLogin: true,
      browser: 'any',
      summary: 'Open the page of the user',
      description:
        'The page shows the services of the user at all sites and connects to them. Without a browser session it redirects to `/signin`.',
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    (ctx) => homePage(ctx),
  ),
  pageFiles('home', { id: 'home.getFile', summary: 'Get a file of the page of the user' }),
];
