import { pageFiles } from '../../../shared/http/pages/page-files.ts';
import { endpoint } from '../deps.ts';
import { consolePage } from './usecases.ts';

const description =
  'The page shows the data that the user can read with the API. Without a browser session it redirects to `/signin`.';

export const pageOperations = [
  endpoint(
    {
      id: 'console.get',
      route: 'GET /console/',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'Open the administrator console',
      description: `The console starts with the overview of all sites. ${description}`,
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    (ctx) => consolePage(ctx),
  ),
  endpoint(
    {
      id: 'status.get',
      route: 'GET /status',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'Open the overview of the console',
      description,
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    (ctx) => consolePage(ctx),
  ),
  pageFiles('console', {
    id: 'console.getFile',
    summary: 'Get a file of the administrator console',
    browser: 'administrator',
  }),
];
