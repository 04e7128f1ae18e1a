import type { Operations } from '../../../shared/client/portal-client.ts';
import { connectionFailed, PortalError, refusalOf } from '../../../shared/client/refusals.ts';
import { send, signOut } from '../../../shared/web/client/session.ts';
import { facts } from './facts.ts';
import type { Outcome } from './flow.ts';
import type { Credentials, SignedInUser } from './user.ts';

type SignIn = Operations['signIn.create'];
type Passwords = Operations['userinfo.changePassword']['asks']['body'];
type Code = Pick<SignIn['asks']['body'], 'code' | 'challenge_id'>;

/**
 * Signs in with credentials. If a second factor is required, they stay in memory until it is answered.
 * @throws PortalError
 */
export async function signIn(credentials: Credentials, code?: Code): Promise<Outcome> {
  const body = { ...credentials, ...code, locale: facts.language, platform: 'browser' };
  const answer: SignIn['answer'] = await answerTo(requestOf('POST', '/signin', body), fetch);
  if (answer.result === 'challenge') {
    const { challenge_id, methods, enrolment } = answer;
    const challenge = {
      ...{ login: credentials.username, challenge_id, enrolment, methods, credentials },
      answer: (code: string) => signIn(credentials, { code, challenge_id }),
    };
    return { result: 'challenge', challenge };
  }
  return admittedBy(answer);
}

type Admission = Exclude<SignIn['answer'], { result: 'challenge' }>;

const admittedBy = ({ user, recovery_codes }: Admission): Outcome => ({
  result: 'admitted',
  recoveryCodes: recovery_codes,
  user: userOf(user),
});

type Confirm = Operations['identityProvider.confirm'];

/**
 * Finishes a sign-in that a provider has accepted. Without a code, the answer is a challenge.
 * @throws PortalError
 */
export async function confirmProvider(code?: Confirm['asks']['body']): Promise<Outcome> {
  const request = requestOf('POST', '/api/auth/v7.0/oidc/second-factor', code ?? {});
  const answer: Confirm['answer'] = await answerTo(request, fetch);
  if (answer.result === 'challenge') {
    const { challenge_id, enrolment, methods, username } = answer;
    return {
      result: 'challenge',
      challenge: {
        ...{ login: username, challenge_id, enrolment, methods },
        answer: (code) => confirmProvider({ code, challenge_id }),
      },
    };
  }
  return admittedBy(answer);
}

type SignedIn = Extract<SignIn['answer'], { result: 'ok' }>['user'];

export const userOf = (user: SignedIn): SignedInUser => ({
  login: user.name,
  name: user.real_name || user.name,
  portal: user.portal,
  must_change_password: user.must_change_password,
});

/** @throws PortalError */
export async function changePassword(passwords: Passwords): Promise<void> {
  await answerTo(requestOf('PUT', '/api/userinfo/password', passwords), send);
}

/** Ends the session, and opens this page without it. @throws PortalError */
export const endSession = (): Promise<void> =>
  signOut().catch((cause) => {
    throw connectionFailed(cause);
  });

export const requestOf = (method: string, path: string, body?: object): Request =>
  new Request(path, {
    method,
    headers: {
      accept: 'application/json',
      'accept-language': facts.language,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** @throws PortalError */
export async function answerTo(request: Request, fetching: (request: Request) => Promise<Response>) {
  try {
    const response = await fetching(request);
    if (!response.ok) throw await refusalOf(response);
    return response.status === 204 ? undefined : await response.json();
  } catch (cause) {
    throw cause instanceof PortalError ? cause : connectionFailed(cause);
  }
}
