import { startSecondFactor } from '../../../shared/identity/passkeys/second-factor.ts';
import { RequestOptions } from '../../../shared/identity/passkeys/shapes.ts';
import { startSignIn } from '../../../shared/identity/passkeys/sign-in.ts';
import { endpoint, passkeyBase } from '../deps.ts';
import {
  PasskeyLoginAnswer,
  PendingLogin,
  SecondFactorBody,
  SecondFactorOptions,
  SignInBody,
} from './schema.ts';
import { finishLogin, signIn } from './usecases.ts';

export const passkeySignInOperations = [
  endpoint(
    {
      id: 'passkey.startSignIn',
      route: `POST ${passkeyBase}/sign-in/options`,
      access: 'public',
      readsOnly: true,
      summary: 'Get the options for a sign-in with a passkey',
      description:
        'No user is named: the authenticator offers its passkeys for this portal. The challenge is valid once and for 300 seconds.',
      returns: [200, RequestOptions],
      errors: ['invalid_state'],
    },
    (ctx) => startSignIn(ctx),
  ),
  endpoint(
    {
      id: 'passkey.signIn',
      route: `POST ${passkeyBase}/sign-in`,
      access: 'public',
      summary: 'Sign in with a passkey',
      description:
        'The authenticator verifies its user, so the passkey counts as both factors. A passkey that is not accepted counts as a failed login.',
      body: { required: SignInBody },
      returns: [200, PasskeyLoginAnswer],
      errors: ['invalid_credentials', 'locked_out', 'forbidden'],
    },
    (ctx, { body }) => signIn(ctx, body),
  ),
  endpoint(
    {
      id: 'passkey.startSecondFactor',
      route: `POST ${passkeyBase}/second-factor/options`,
      access: 'public',
      readsOnly: true,
      summary: 'Get the options for a passkey as the second factor of a login',
      description:
        'For a challenge of `login/2fa` with the method `passkey`. `registration` is returned instead of `authentication` if the login requires to set a second factor up.',
      body: { required: PendingLogin },
      returns: [200, SecondFactorOptions],
      errors: ['login_expired', 'invalid_state'],
    },
    (ctx, { body }) => startSecondFactor(ctx, body.challenge_id),
  ),
  endpoint(
    {
      id: 'passkey.finishLogin',
      route: `POST ${passkeyBase}/second-factor`,
      access: 'public',
      summary: 'Finish a login with a passkey as the second factor',
      description:
        'The credentials are those of the call of `login/2fa` that returned the challenge. A registration also requires `name`, and its response has recovery codes.',
      body: { required: SecondFactorBody },
      returns: [200, PasskeyLoginAnswer],
      errors: ['invalid_credentials', 'locked_out', 'forbidden', 'already_exists'],
      shownOnce: ['recovery_codes'],
    },
    (ctx, { body }) => finishLogin(ctx, body),
  ),
];
