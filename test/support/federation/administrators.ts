import { expect } from 'vitest';
import { domainsPath, type World } from '../factories.ts';
import { type Answer, adminPassword, type Json } from '../portal.ts';
import type { Browser } from './browser.ts';
import { type Federation, staff } from './stand.ts';

/** An administrator with a browser session. */
export type Administrator = {
  browser: Browser;
  /** Sends a request of the API with a token of the session. */
  ask(route: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
};

const builtin = { authSmallName: 'builtin', username: 'admin', password: adminPassword };

/** Signs an administrator in. Default: that of the built-in domain. */
export async function signInAdministrator(
  { portal }: World,
  browser: Browser,
  account: Record<string, string> = builtin,
): Promise<Administrator> {
  await browser.send('POST /signin', account);
  return {
    browser,
    ask: async (route, options) => {
      const { token } = (await browser.send('POST /signin/token')).body;
      return portal.send(route, { ...options, token });
    },
  };
}

export const signInTestsOf = ({ domain }: Pick<Federation, 'domain'>): string =>
  `${domainsPath}/${domain.id}/sign_in_tests`;

export async function createSignInTest(
  { ask }: Administrator,
  at: Pick<Federation, 'domain'>,
): Promise<Json> {
  const { status, body } = await ask(`POST ${signInTestsOf(at)}`);
  expect([status, body.result]).toEqual([201, null]);
  return body;
}

/** Signs a person in for a test, in the browser of the administrator. @returns the test with its result */
export async function testSignIn(
  { portal }: World,
  administrator: Administrator,
  at: Pick<Federation, 'domain' | 'provider'>,
  { subject, claims = {} }: { subject: string; claims?: Json },
): Promise<Json> {
  const { browser, ask } = administrator;
  at.provider.people.set(subject, { preferred_username: subject, groups: [staff], ...claims });
  at.provider.atKeyboard = subject;
  browser.cookies.delete(at.provider.issuer);
  const test = await createSignInTest(administrator, at);
  const { url } = await browser.follow(`${portal.deps.baseUrl}${test.url}`, (to) => to.includes('/console/'));
  expect(url).toMatch(new RegExp(`/console/#/authenticator/${at.domain.id}\\?sign_in_test=${test.id}$`));
  return (await ask(`GET ${signInTestsOf(at)}/${test.id}`)).body;
}
