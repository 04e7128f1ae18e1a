import { isLanguage, languageOf } from '../../../shared/http/languages.ts';
import { readBranding, renderPage } from '../../../shared/http/page.ts';
import { endpoint } from '../deps.ts';

export const statusOperations = [
  endpoint(
    {
      id: 'status.get',
      route: 'GET /status',
      access: 'signed-in',
      browser: 'administrator',
      summary: 'The status page',
      description:
        'It shows what the API tells the same user; without a browser session it leads to `/signin`.',
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    async ({ deps, principal: { user }, client }) => {
      const { branding, defaultLanguage } = await readBranding(deps);
      const wishes = [user.language, languageOf(client.languages), defaultLanguage];
      return renderPage(deps.assets, {
        name: 'status',
        scripts: ['drawing.js', 'status.js'],
        language: wishes.find(isLanguage) ?? 'en',
        branding,
        values: { user: user.realName || user.name },
        facts: {},
      });
    },
  ),
];
