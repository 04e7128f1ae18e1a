import { base, endpoint } from '../deps.ts';
import { endBrowserSession, givePageToken, signIn } from './browser-session.ts';
import { Done, PageToken, SignInAnswer, SignInQuery, TwoFactorLoginBody } from './schema.ts';
import { signInPage } from './sign-in-page.ts';

export const browserOperations = [
  endpoint(
    {
      id: 'signIn.get',
      route: 'GET /signin',
      access: 'public',
      browser: 'any',
      summary: 'The sign-in page',
      query: SignInQuery,
      returns: [200, null],
      alsoReturns: ['text/html'],
    },
    (ctx, { query }) => signInPage(ctx, query),
  ),
  endpoint(
    {
      id: 'signIn.create',
      route: 'POST /signin',
      access: 'public',
      summary: 'Sign a browser in',
      description:
        `The body is that of \`POST ${base}/login/2fa\`, and so is the answer, but for the token: it goes into a ` +
        'cookie, which is good for the pages of this portal and not for its API. Only those pages may ask.',
      body: { required: TwoFactorLoginBody },
      returns: [200, SignInAnswer],
      errors: ['invalid_credentials', 'locked_out', 'forbidden', 'overloaded'],
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
      summary: 'A token for the memory of a page',
      description: 'It is no session of its own: it ends with the browser session, and is not counted.',
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
      summary: 'End the browser session, and the tokens of its pages',
      returns: [200, Done],
    },
    endBrowserSession,
  ),
];
