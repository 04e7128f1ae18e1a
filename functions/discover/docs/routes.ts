import { renderApp } from '../../../shared/http/pages/app-page.ts';
import { pageFiles } from '../../../shared/http/pages/page-files.ts';
import { readBranding } from '../../../shared/http/pages/read-branding.ts';
import { modules } from '../../../shared/modules.ts';
import { endpoint } from '../deps.ts';

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
    async ({ deps, language, principal: { user, portal } }) => {
      const { branding } = await readBranding(deps);
      return renderApp(deps.assets, {
        name: 'docs',
        language,
        branding,
        facts: {
          user: { id: user.id, login: user.name, name: user.realName || user.name, portal },
          modules: Object.fromEntries(modules.map(({ name, purpose }) => [name, purpose])),
          first: ['/api/openapi.json'],
        },
      });
    },
  ),
  pageFiles('docs', {
    id: 'docs.getFile',
    summary: 'Get a file of the interactive API reference',
    browser: 'administrator',
  }),
];
