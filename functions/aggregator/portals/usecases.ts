import type { z } from 'zod';
import { findPeer } from '../../../db/repositories/peer-sessions.ts';
import { findPortalNamed } from '../../../db/repositories/portals.ts';
import {
  type ClaimedToken,
  type PeerKey,
  PeerTokenFault,
  provePeerToken,
  readPeerToken,
} from '../../../shared/access/peer-jwt.ts';
import { tokenTypes } from '../../../shared/access/token-types.ts';
import { notePortal } from '../../../shared/fleet/portal-report.ts';
import type { Ctx } from '../../../shared/http/context.ts';
import { fieldErrors } from '../../../shared/http/field-errors.ts';
import { keyOfPeer } from '../../../shared/identity/peer-keys.ts';
import { AppError, invalid } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { version } from '../../../shared/kernel/version.ts';
import { PublicKey } from '../../../shared/remotes/peer-keys/shapes.ts';
import { type AggregatorDeps, base } from '../deps.ts';
import { type Accepted, type Self, ToldPortal } from './schema.ts';

type AggregatorCtx = Ctx<AggregatorDeps>;

export const heartbeatPath = `${base}/portals/heartbeat` as const;

/**
 * Notes what a portal tells of itself, when a key of ours or of a peer has signed it. A peer's portals are named after
 * it, so that none takes the place of one of ours.
 * @throws AppError `invalid_token` whatever is wrong with the token, `invalid_request` for a report that cannot be kept,
 * `upstream_*` when the keys of the peer cannot be read
 */
export async function acceptHeartbeat(ctx: AggregatorCtx, jwt: string): Promise<z.input<typeof Accepted>> {
  const { told, peer } = await proven(ctx, jwt).catch(refused);
  const { data: portal, error } = ToldPortal.safeParse(told);
  if (!portal) throw invalid(...fieldErrors(error, '/').map(withinToken));
  if (peer !== undefined && portal.name.includes('/')) throw invalid(noSlash);
  const { build = '', os = '', metrics = {}, started_at: startedAt, ...facts } = portal;
  const name = peer === undefined ? portal.name : `${peer}/${portal.name}`;
  await notePortal(ctx.deps.db, { ...facts, name, build, os, metrics, started_at: new Date(startedAt) });
  return { result: 'ok', name, expires_in: portal.runtime === 'node' ? 60 : 150 };
}

/** The portal that answers, and what its heartbeats have told. */
export async function describeSelf({ deps, now }: AggregatorCtx): Promise<z.input<typeof Self>> {
  const { name, runtime, startedAt } = deps.host;
  const known = await findPortalNamed(deps.db, foldName(name));
  return {
    id: known?.id ?? null,
    uuid: known?.id ?? null,
    name,
    fqdn: new URL(deps.baseUrl).hostname,
    portal_type: deps.portalType,
    runtime,
    version,
    state: known?.state ?? 'offline',
    last_seen_at: known?.last_seen_at.toISOString() ?? null,
    uptime_s: Math.max(0, Math.floor((now.getTime() - startedAt.getTime()) / 1000)),
  };
}

/** What was told, and the name of the peer who did, unless it was one of us. */
async function proven(ctx: AggregatorCtx, jwt: string): Promise<{ told: unknown; peer: string | undefined }> {
  const { deps, now } = ctx;
  const claimed = readPeerToken(jwt);
  const isOwn = claimed.issuer === deps.baseUrl;
  const found = isOwn ? undefined : await findPeer(deps.db, claimed.issuer);
  if (!isOwn && !found) throw new PeerTokenFault('unknown_issuer');
  const key = found ? await keyOfPeer(ctx, found.peer, claimed) : ownKey(deps, claimed);
  const audience = `${deps.baseUrl}${heartbeatPath}`;
  const { claims } = await provePeerToken(jwt, claimed, key, { typ: tokenTypes.heartbeat, audience, now });
  return { told: claims.portal, peer: found?.peer.name };
}

function ownKey({ signingKeys }: AggregatorDeps, { kid }: ClaimedToken): PeerKey {
  const own = PublicKey.safeParse(signingKeys.jwks.keys.find((key) => key.kid === kid));
  if (!own.success) throw new PeerTokenFault('unknown_key');
  return own.data;
}

function refused(error: unknown): never {
  if (!(error instanceof PeerTokenFault)) throw error;
  throw new AppError('invalid_token', 'The token was not accepted', {}, { cause: error });
}

type Fault = Parameters<typeof invalid>[number];

const withinToken = (fault: Fault): Fault => ({ ...fault, pointer: `/token/portal${fault.pointer}` });

const noSlash: Fault = {
  pointer: '/token/portal/name',
  code: 'invalid_format',
  detail: 'The name of a portal of a peer has no slash',
};
