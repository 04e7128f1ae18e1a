import { goodPassword } from '../factories.ts';
import { type Answer, baseUrl, type Json, type TestPortal } from '../portal.ts';
import {
  type Credential,
  type Forgery,
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from './authenticator.ts';

export const passkeyPath = '/api/auth/v7.0/passkeys';
type Ask = (route: string, body?: unknown) => Promise<Answer>;

/** An authenticator in a page of the portal of tests. */
export const pageAuthenticator = (counts = true): SoftwareAuthenticator =>
  softwareAuthenticator(baseUrl, counts);

/** Adds a passkey to the account of a session. The answer may be a refusal. */
export async function addPasskey(
  ask: Ask,
  device: SoftwareAuthenticator,
  { name = 'Laptop', proof = { password: goodPassword }, forged = {} as Forgery } = {},
): Promise<{ credential: Credential; answer: Answer }> {
  const options = await ask(`POST ${passkeyPath}/options`, proof);
  if (options.status !== 200) throw new Error(`${options.status} ${JSON.stringify(options.body)}`);
  const { credential, response } = device.create(options.body, forged);
  return { credential, answer: await ask(`POST ${passkeyPath}`, { name, registration: response }) };
}

/** The response of the authenticator to new options for a sign-in. */
export async function assertionOf(
  portal: TestPortal,
  device: SoftwareAuthenticator,
  credential: Credential,
  forged: Forgery = {},
): Promise<Json> {
  const { body } = await portal.send(`POST ${passkeyPath}/sign-in/options`);
  return device.get(credential, body, forged);
}

/** Signs in with a passkey alone. */
export const signInWith = async (
  portal: TestPortal,
  device: SoftwareAuthenticator,
  credential: Credential,
  forged: Forgery = {},
  given: object = {},
): Promise<Answer> =>
  portal.send(`POST ${passkeyPath}/sign-in`, {
    body: { assertion: await assertionOf(portal, device, credential, forged), ...given },
  });
