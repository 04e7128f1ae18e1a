import type { z } from 'zod';
import { endSessionsOfPeer } from '../../../db/repositories/identity/login/peer-sessions.ts';
import { importPeerKey, PeerTokenFault } from '../../../shared/access/peer-jwt.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { changeRecord, createRecord, removeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { spellingOf } from '../../../shared/kernel/addresses/check.ts';
import { conflict, type FieldError, invalid } from '../../../shared/kernel/errors.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import { checkUrl } from '../../../shared/remotes/http/address-policy.ts';
import type { AggregatorCtx } from '../deps.ts';
import { peerCrud } from './record.ts';
import type { PeerWrite } from './schema.ts';

const { kind } = peerCrud;
type Write = z.output<typeof PeerWrite>;

/** @throws AppError `invalid_request`, `forbidden` with the permissions that the caller would grant without holding them */
export async function createPeer(ctx: AggregatorCtx, body: Write): Promise<Answer> {
  await assertSound(ctx, body);
  const power = powerOver(ctx, [{ assigned: body.roles }]);
  return createRecord(ctx, kind, body, power);
}

/**
 * Anyone who can change the keys of a peer can impersonate it. Each change therefore requires all permissions that
 * the peer has before and after it.
 * @throws AppError `invalid_request`, `forbidden` with the missing permissions, `invalid_state` for a peer that
 *   changes itself
 */
export async function replacePeer(ctx: AggregatorCtx, at: Target, body: Write): Promise<Answer> {
  await assertSound(ctx, body);
  const power = powerOver(ctx, [{ peer: at.id }, { assigned: body.roles }]);
  return changeRecord(ctx, kind, at, (row) => {
    assertOther(ctx, row.id);
    const isOver = !body.enabled || trustOf(row) !== trustOf(body);
    return { body, ...power, ...(isOver && { after: (h) => [endSessionsOfPeer(h, row.id)] }) };
  });
}

export async function deletePeer(ctx: AggregatorCtx, at: Target): Promise<void> {
  const power = powerOver(ctx, [{ peer: at.id }]);
  await removeRecord(ctx, kind, at, (row) => {
    assertOther(ctx, row.id);
    return power;
  });
}

function assertOther({ principal }: AggregatorCtx, id: string): void {
  if (ownerOf(principal).id === id) throw conflict('own_account', 'A peer cannot change or delete itself');
}

/** The fields that identify the tokens of a peer. */
const trustOf = ({ issuer, jwks, jwks_url, ca_certificate }: Omit<Write, 'jwks'> & { jwks: unknown }) =>
  canonicalJson([issuer, jwks, jwks_url && spellingOf(jwks_url, 'keys'), ca_certificate]);

/** @throws AppError `invalid_request` for invalid or missing keys, or for an address that the policy does not allow */
async function assertSound(ctx: AggregatorCtx, { jwks, jwks_url }: Write): Promise<void> {
  const faults: FieldError[] = [];
  if (jwks === null && jwks_url === null)
    faults.push({ pointer: '/jwks', code: 'required', detail: 'Set either `jwks` or `jwks_url`' });
  if (jwks !== null && jwks_url !== null)
    faults.push({ pointer: '/jwks_url', code: 'not_allowed', detail: 'Set either `jwks` or `jwks_url`' });
  const checked = jwks_url === null ? undefined : checkUrl(jwks_url, 'keys', ctx.deps.outbound);
  if (checked?.ok === false)
    faults.push({ pointer: '/jwks_url', code: 'address_not_allowed', detail: checked.detail });
  for (const [index, key] of (jwks?.keys ?? []).entries()) {
    const detail = 'Must be a public key for RS256 (at least 2048 bits), ES256 or EdDSA (Ed25519)';
    if (!(await isUsable(key)))
      faults.push({ pointer: `/jwks/keys/${index}`, code: 'invalid_value', detail });
  }
  if (faults.length > 0) throw invalid(...faults);
}

async function isUsable(key: Parameters<typeof importPeerKey>[0]): Promise<boolean> {
  try {
    await importPeerKey(key);
    return true;
  } catch (error) {
    if (!(error instanceof PeerTokenFault)) throw error;
    return false;
  }
}
