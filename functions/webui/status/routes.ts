import { readBranding, renderPage } from '../../../shared/http/pages/page.ts';
import { endpoint } from '../deps.ts';

export const statusOperations = [
  endpoint(
    {
      id: 'status.get',
      route: 'GET /status',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'Open the status page',
      description:
        'The page shows the data that the user can read with the API. Without a browser session it redirects to `/signin`.',
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    async ({ deps, principal: { user }, language }) => {
      const { branding } = await readBranding(deps);
      return renderPage(deps.assets, {
        name: 'status',
        scripts: ['drawing.js', 'status.js'],
        language,
        branding,
        values: { user: user.realName || user.name },
        facts: {},
      });
    },
  ),
];
