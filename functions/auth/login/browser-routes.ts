import { pageFiles } from '../../../shared/http/pages/page-files.ts';
import { SignInAnswer } from '../../../shared/identity/login/answers.ts';
import { base, endpoint } from '../deps.ts';
import { endBrowserSession, givePageToken, signIn } from './browser-session.ts';
import { Done, PageToken, SignInQuery, TwoFactorLoginBody } from './schema.ts';
import { signInPage } from './sign-in-page.ts';

export const browserOperations = [
  endpoint(
    {
      id: 'signIn.get',
      route: 'GET /signin',
      access: 'public',
      browser: 'any',
      summary: 'Open the sign-in page',
      description: 'With `next=/`, a user with a session is redirected to the first page for them.',
      query: SignInQuery,
      returns: [200, null],
      orReturns: [302, null],
      alsoReturns: ['text/html'],
    },
    (ctx, { query }) => signInPage(ctx, query),
  ),
  pageFiles('signin', { id: 'signIn.getFile', summary: 'Get a file of the sign-in page' }),
  endpoint(
    {
      id: 'signIn.create',
      route: 'POST /signin',
      access: 'public',
      summary: 'Sign in with a browser',
      description: `Request and response are those of \`POST ${base}/login/2fa\`, but the token is returned in a cookie. The cookie is valid for the pages of this portal and not for its API. Only these pages can call this operation.`,
      body: { required: TwoFactorLoginBody },
      returns: [200, SignInAnswer],
      errors: ['invalid_credentials', 'redirect_required', 'locked_out', 'forbidden'],
    },
    (ctx, { body }) => signIn(ctx, body),
  ),
  endpoint(
    {
      id: 'signIn.createToken',
      route: 'POST /signin/token',
      access: 'signed-in',
      needsLogin: true,
      browser: 'any',
      duringPasswordChange: true,
      summary: 'Get an API token for a page',
      description:
        'Pages keep the token in memory and call the API with it. The token ends with the browser session and does not count as a separate session.',
      returns: [200, PageToken],
    },
    givePageToken,
  ),
  endpoint(
    {
      id: 'signIn.end',
      route: 'POST /signout',
      access: 'signed-in',
      needsLogin: true,
      browser: 'any',
      duringPasswordChange: true,
      summary: 'End the browser session and the tokens of its pages',
      returns: [200, Done],
    },
    endBrowserSession,
  ),
];
