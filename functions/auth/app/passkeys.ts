import type { Operations } from '../../../shared/client/portal-client.ts';
import { createPasskey, hasPasskeys, usePasskey } from '../../../shared/web/credentials/passkeys.ts';
import { programOf } from '../../../shared/web/text/programs.ts';
import { facts } from './facts.ts';
import type { Outcome } from './flow.ts';
import { answerTo, requestOf, userOf } from './requests.ts';
import type { Credentials } from './user.ts';

type SignIn = Operations['passkey.signIn'];
type SecondFactor = Operations['passkey.finishLogin'];
type Options = Operations['passkey.startSecondFactor']['answer'];

const base = '/api/auth/v7.0/passkeys';
const client = { locale: facts.language, platform: 'browser', in_browser: true };

/** True if the portal and the browser support passkeys. */
export const offersPasskeys = (): boolean => facts.passkeys === true && hasPasskeys();

/**
 * Signs in with a passkey alone.
 * @param suggests the browser offers it among the suggestions of the field for the user name
 * @throws PortalError
 */
export async function signInByPasskey(suggests = false): Promise<Outcome> {
  const options: Operations['passkey.startSignIn']['answer'] = await post('/sign-in/options');
  const assertion = await usePasskey(options, suggests);
  const answer: SignIn['answer'] = await post('/sign-in', { ...client, assertion });
  return outcomeOf(answer);
}

/**
 * Finishes a sign-in with a password: with a passkey of the user, or with a new one if a second factor is set up.
 * @throws PortalError
 */
export async function answerByPasskey(credentials: Credentials, challenge_id: string): Promise<Outcome> {
  const options: Options = await post('/second-factor/options', { challenge_id });
  const response =
    'registration' in options
      ? { registration: await createPasskey(options.registration), name: programOf(navigator.userAgent) }
      : { assertion: await usePasskey(options.authentication) };
  const answer: SecondFactor['answer'] = await post('/second-factor', {
    ...credentials,
    ...client,
    ...response,
    challenge_id,
  });
  return outcomeOf(answer);
}

const outcomeOf = ({ user, recovery_codes }: SignIn['answer']): Outcome => ({
  result: 'admitted',
  recoveryCodes: recovery_codes,
  user: userOf(user),
});

const post = (path: string, body?: object) => answerTo(requestOf('POST', `${base}${path}`, body), fetch);
