import { z } from 'zod';
import { deleteOwnPasskey, startRegistration } from '../../../shared/identity/passkeys/own.ts';
import { Passkey, PasskeysQuery } from '../../../shared/identity/passkeys/passkey.ts';
import { CreationOptions } from '../../../shared/identity/passkeys/shapes.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { endpoint, passkeyBase } from '../deps.ts';
import { NewPasskey, OwnProof, PasskeyChange, PasskeyWrite } from './schema.ts';
import { listOwnPasskeys, registerPasskey, renamePasskey } from './usecases.ts';

const own = { access: 'signed-in', needsLogin: true } as const;
const params = z.object({ id: Id.describe('Identifier of the passkey.') });
const proofErrors = ['invalid_credentials', 'invalid_state', 'locked_out', 'two_factor_required'] as const;

export const ownPasskeyOperations = [
  endpoint(
    {
      ...own,
      id: 'passkey.list',
      route: `GET ${passkeyBase}`,
      summary: "List the caller's passkeys",
      query: PasskeysQuery,
      returns: [200, listOf(Passkey)],
      errors: ['invalid_state'],
    },
    (ctx, { query }) => listOwnPasskeys(ctx, query),
  ),
  endpoint(
    {
      ...own,
      id: 'passkey.startRegistration',
      route: `POST ${passkeyBase}/options`,
      summary: 'Get the options for a new passkey of the caller',
      description:
        'The caller proves the identity again: with the password, and a code if the account has a second factor, or with a passkey of the account. The options are valid once, for 300 seconds and in this session. Only users of internal domains can have passkeys, and only if the portal has a host name (reason `no_passkeys`). A user can have at most 20 (reason `too_many_passkeys`).',
      body: { required: OwnProof },
      returns: [200, CreationOptions],
      errors: proofErrors,
    },
    (ctx, { body }) => startRegistration(ctx, body),
  ),
  endpoint(
    {
      ...own,
      id: 'passkey.register',
      route: `POST ${passkeyBase}`,
      summary: 'Register a passkey of the caller',
      description:
        'The passkey must verify its user. Attestation is not evaluated. The account then requires a second factor at each login with a password.',
      body: { required: PasskeyWrite },
      returns: [200, NewPasskey],
      errors: ['invalid_credentials', 'invalid_state', 'already_exists'],
      shownOnce: ['recovery_codes'],
    },
    (ctx, { body }) => registerPasskey(ctx, body),
  ),
  endpoint(
    {
      ...own,
      id: 'passkey.update',
      route: `PATCH ${passkeyBase}/{id}`,
      summary: 'Rename a passkey of the caller (JSON Merge Patch)',
      params,
      body: { required: PasskeyChange },
      returns: [200, Passkey],
      errors: ['not_found', 'invalid_state'],
    },
    (ctx, { params: { id }, body }) => renamePasskey(ctx, id, body),
  ),
  endpoint(
    {
      ...own,
      id: 'passkey.delete',
      route: `DELETE ${passkeyBase}/{id}`,
      summary: 'Delete a passkey of the caller',
      description:
        'Requires the same proof as a new passkey. With the last second factor, the recovery codes are deleted as well. If the domain requires a second factor, the next login starts a new enrolment.',
      params,
      body: { required: OwnProof },
      returns: [204, null],
      errors: [...proofErrors, 'not_found'],
    },
    (ctx, { params: { id }, body }) => deleteOwnPasskey(ctx, id, body),
  ),
];
