import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { asAppError, isReferenceViolation, isUniqueViolation } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { findPeer, startPeerSession } from '../../../db/repositories/identity/login/peer-sessions.ts';
import {
  PeerTokenFault,
  type ProvenToken,
  provePeerToken,
  readPeerToken,
} from '../../../shared/access/peer-jwt.ts';
import { newPeerToken } from '../../../shared/access/service-tokens.ts';
import { absoluteAge } from '../../../shared/access/session.ts';
import { tokenTypes } from '../../../shared/access/token-types.ts';
import { auditEntry, noteRefusal } from '../../../shared/context/audit-entry.ts';
import type { ClientCtx } from '../../../shared/context/context.ts';
import { portalFor } from '../../../shared/context/portal.ts';
import { keyOfPeer } from '../../../shared/identity/peer-keys.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError, type ErrorCode, invalid } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import { networkOf } from '../../../shared/kernel/networks.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { escapeControls, startOf } from '../../../shared/kernel/text.ts';
import type { AuthDeps } from '../deps.ts';
import type { JwtauthBody } from './schema.ts';

type AuthCtx = ClientCtx<AuthDeps>;
type PeerRecord = NonNullable<Awaited<ReturnType<typeof findPeer>>>;

/** Clocks of isolates differ. Used tokens are stored for this much longer than any isolate could accept them. */
const rememberedS = 600;

/**
 * Exchanges a token signed by a registered peer for a session with the roles of that peer. Each token can be used
 * once.
 * @throws AppError `invalid_token` for every defect of the token, `upstream_*` if the keys of the peer cannot be
 *   read, `forbidden` if the portal type offers nothing to peers, `invalid_request` if the request has a session
 */
export async function admitPeer(ctx: AuthCtx, body: z.output<typeof JwtauthBody>) {
  if (!('token' in body)) throw new AppError('unauthenticated');
  if (ctx.principal.kind === 'user')
    throw invalid({ pointer: '/token', code: 'not_allowed', detail: 'Must be sent without a session' });
  const seen: VerificationProgress = { issuer: undefined, found: undefined };
  try {
    return await exchange(ctx, body.token, seen);
  } catch (error) {
    const { refusal, reason } = asRefusal(error);
    if (!ownFaults.includes(refusal.code)) await noteRefused(ctx, seen, reason);
    throw refusal;
  }
}

/** Progress of the token verification, for the audit log. */
type VerificationProgress = { issuer: string | undefined; found: PeerRecord | undefined };

async function exchange(ctx: AuthCtx, jwt: string, seen: VerificationProgress) {
  const { deps, now } = ctx;
  const claimed = readPeerToken(jwt);
  seen.issuer = claimed.issuer;
  const found = await findPeer(deps.db, claimed.issuer);
  if (!found) throw new PeerTokenFault('unknown_issuer');
  seen.found = found;
  const key = await keyOfPeer(ctx, found.peer, claimed);
  const proven = await provePeerToken(jwt, claimed, key, {
    typ: tokenTypes.peer,
    audience: deps.baseUrl,
    now,
  });
  return begin(ctx, found, proven);
}

async function begin(ctx: AuthCtx, { peer, roles, parameters: overrides }: PeerRecord, proven: ProvenToken) {
  const { deps, now } = ctx;
  const portal = portalFor(deps.portalType, roles.length > 0);
  if (portal === undefined) throw new AppError('forbidden', 'The peer has no access to this portal');
  const parameters = parametersFrom(overrides);
  const lifeS = absoluteAge(parameters, portal);
  const token = newPeerToken();
  const session = {
    id: newId(),
    token_hash: sha256(token),
    peer_id: peer.id,
    created_at: now,
    last_seen_at: now,
    idle_until: addSeconds(now, parameters['session.idle_s']),
  };
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogin',
    category: 'auth',
    actor: 'peer',
    ...nameOf(peer),
    portal,
    object_type: 'session',
    object_id: session.id,
    details: { peer: true, jti: escapeControls(proven.jti) },
  });
  const used = {
    digest: sha256(canonicalJson([peer.issuer, proven.jti])),
    keptUntil: addSeconds(proven.expiresAt, rememberedS),
  };
  const oldest = addSeconds(now, -Math.max(...ages.map((one) => absoluteAge(parameters, one))));
  await atomically(deps.db, (h) => [
    ...startPeerSession(h, session, { revision: peer.revision, used, oldest }),
    appendAudit(h, audit),
  ]).catch(explainLost);
  return { result: 'ok', token, expires_in: lifeS };
}

const ages = ['admin', 'user'] as const;

/** A peer as the subject of audit events. Its issuer contains a colon; labels of user domains do not. */
const nameOf = ({ id, name, issuer }: PeerRecord['peer']) => ({
  user_id: id,
  user_name: escapeControls(name),
  domain: issuer,
});

/** A token can lose a race: it was used by another request, or its peer was deleted in the meantime. */
function explainLost(error: unknown): never {
  if (isUniqueViolation(error)) throw new PeerTokenFault('used_before', { cause: error });
  if (isReferenceViolation(error)) throw new PeerTokenFault('unknown_issuer', { cause: error });
  throw error;
}

/** Failures that do not identify the sender of the token. */
const ownFaults: readonly ErrorCode[] = ['internal', 'database_unavailable'];

function asRefusal(error: unknown): { refusal: AppError; reason: string } {
  if (!(error instanceof PeerTokenFault)) {
    const refusal = asAppError(error);
    return { refusal, reason: refusal.code };
  }
  const refusal = new AppError('invalid_token', 'The token is not valid', {}, { cause: error });
  return { refusal, reason: error.reason };
}

/** Repeated attempts must not flood the audit log: equal refusals are recorded once a minute. */
async function noteRefused(
  ctx: AuthCtx,
  { issuer, found }: VerificationProgress,
  reason: string,
): Promise<void> {
  const failed = auditEntry(ctx, {
    event: 'portal.LoginFailed',
    category: 'auth',
    level: 'warning',
    result: 'failure',
    ...(found ? nameOf(found.peer) : { domain: issuer ? escapeControls(startOf(issuer, 512)) : null }),
    details: { peer: true, reason },
  });
  const subject = `peer ${found?.peer.id ?? 'unknown'} ${reason} ${networkOf(ctx.client.ip)}`;
  await noteRefusal(ctx, subject, failed);
}
