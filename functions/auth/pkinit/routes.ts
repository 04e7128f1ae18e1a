import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { LoginAnswer, loginAnswer } from '../../../shared/identity/login/answers.ts';
import { beginCardLogin, type SigningTask } from '../../../shared/identity/pkinit/begin.ts';
import { finishCardLogin, type Signed, sendSignedRequest } from '../../../shared/identity/pkinit/finish.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { base, endpoint } from '../deps.ts';
import { PkinitFinalize, PkinitLogin, PkinitRaw, PkinitResponse, PkinitTask } from './schema.ts';

const params = z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') });
/** Certificates with their chain. */
const maxBodyBytes = 131_072;
const path = `PATCH ${base}/authenticators/{auth_uuid}/pkinit` as const;

const ofRealm = [
  'invalid_state',
  'upstream_failed',
  'upstream_refused',
  'upstream_unavailable',
  'upstream_timeout',
] as const;
const ofCard = [
  'invalid_credentials',
  'invalid_signature',
  'login_expired',
  'certificate_not_trusted',
  'certificate_invalid',
  'certificate_revoked',
  'certificate_mismatch',
  'certificate_wrong_purpose',
  'account_disabled',
  'account_expired',
  'account_locked',
  'account_restricted',
  'password_expired',
  'locked_out',
] as const;

export const pkinitOperations = [
  endpoint(
    {
      id: 'pkinit.login',
      route: `${path}/login`,
      access: 'public',
      summary: 'Start a Kerberos PKINIT login and get the data to sign',
      params,
      body: { required: PkinitLogin },
      maxBodyBytes,
      returns: [200, PkinitTask],
      errors: [...ofRealm, 'certificate_mismatch'],
    },
    async (ctx, { params: { auth_uuid }, body: { certificate, chain, username } }) =>
      taskAnswer(
        await beginCardLogin(ctx, auth_uuid, {
          certificate,
          chain: chain ?? undefined,
          username: username ?? undefined,
        }),
      ),
  ),
  endpoint(
    {
      id: 'pkinit.raw',
      route: `${path}/raw`,
      access: 'public',
      summary: 'Send the signed PKINIT request to the KDC',
      params,
      body: { required: PkinitRaw },
      maxBodyBytes,
      returns: [200, PkinitResponse],
      errors: [...ofRealm, ...ofCard],
    },
    async (ctx, { params: { auth_uuid }, body }) => {
      const response = await sendSignedRequest(ctx, auth_uuid, signed(body));
      return { response: response.toString('base64') };
    },
  ),
  endpoint(
    {
      id: 'pkinit.finalize',
      route: `${path}/finalize`,
      access: 'public',
      summary: 'Finish a Kerberos PKINIT login',
      params,
      body: { required: PkinitFinalize },
      maxBodyBytes,
      returns: [200, LoginAnswer],
      errors: [...ofRealm, ...ofCard, 'forbidden', 'no_registered_group', 'upstream_tls'],
    },
    async (ctx, { params: { auth_uuid }, body }) =>
      loginAnswer(await finishCardLogin(ctx, auth_uuid, signed(body))),
  ),
];

const signed = ({ challenge_id, signature }: z.output<typeof PkinitFinalize>): Signed => ({
  token: challenge_id,
  signature: signature == null ? undefined : Buffer.from(signature, 'base64'),
});

const algorithms = { RSA: 'RSASSA-PKCS1-v1_5', EC: 'ECDSA' } as const;

const taskAnswer = (task: SigningTask): z.input<typeof PkinitTask> => ({
  challenge_id: task.token,
  realm: task.realm,
  principal: task.principal,
  digest_algorithm: 'sha256',
  signature_algorithm: algorithms[task.algorithm],
  data_to_sign: task.toSign.toString('base64'),
  digest: task.digest.toString('base64'),
  expires_in: task.expiresInS,
});
