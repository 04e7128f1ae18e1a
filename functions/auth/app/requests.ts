import type { Operations } from '../../../shared/client/portal-client.ts';
import { connectionFailed, PortalError, refusalOf } from '../../../shared/client/refusals.ts';
import { send, signOut } from '../../../shared/web/client/session.ts';
import { facts } from './facts.ts';
import type { Outcome } from './flow.ts';

type SignIn = Operations['signIn.create'];
type Passwords = Operations['userinfo.changePassword']['asks']['body'];
type Credentials = Omit<SignIn['asks']['body'], 'code' | 'challenge_id' | 'locale' | 'platform'>;
type Code = Pick<SignIn['asks']['body'], 'code' | 'challenge_id'>;

/**
 * Signs in with credentials. If a second factor is required, they stay in memory until it is answered.
 * @throws PortalError
 */
export async function signIn(credentials: Credentials, code?: Code): Promise<Outcome> {
  const body = { ...credentials, ...code, locale: facts.language, platform: 'browser' };
  const answer: SignIn['answer'] = await answerTo(requestOf('POST', '/signin', body), fetch);
  if (answer.result === 'challenge') {
    const { challenge_id, enrolment } = answer;
    const login = credentials.username;
    return {
      result: 'challenge',
      challenge: { login, enrolment, answer: (code) => signIn(credentials, { code, challenge_id }) },
    };
  }
  const { user, recovery_codes } = answer;
  return {
    result: 'admitted',
    recoveryCodes: recovery_codes,
    user: {
      login: user.name,
      name: user.real_name || user.name,
      portal: user.portal,
      must_change_password: user.must_change_password,
    },
  };
}

/** @throws PortalError */
export async function changePassword(passwords: Passwords): Promise<void> {
  await answerTo(requestOf('PUT', '/api/userinfo/password', passwords), send);
}

/** Ends the session, and opens this page without it. @throws PortalError */
export const endSession = (): Promise<void> =>
  signOut().catch((cause) => {
    throw connectionFailed(cause);
  });

const requestOf = (method: string, path: string, body: object): Request =>
  new Request(path, {
    method,
    headers: {
      accept: 'application/json',
      'accept-language': facts.language,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });

async function answerTo(request: Request, fetching: (request: Request) => Promise<Response>) {
  try {
    const response = await fetching(request);
    if (!response.ok) throw await refusalOf(response);
    return response.status === 204 ? undefined : await response.json();
  } catch (cause) {
    throw cause instanceof PortalError ? cause : connectionFailed(cause);
  }
}
