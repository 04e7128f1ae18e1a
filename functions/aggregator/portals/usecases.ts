import type { z } from 'zod';
import { findPeer } from '../../../db/repositories/identity/login/peer-sessions.ts';
import { findPortalNamed } from '../../../db/repositories/monitoring/portals.ts';
import {
  type ClaimedToken,
  type PeerKey,
  PeerTokenFault,
  provePeerToken,
  readPeerToken,
} from '../../../shared/access/peer-jwt.ts';
import { tokenTypes } from '../../../shared/access/token-types.ts';
import type { Ctx } from '../../../shared/context/context.ts';
import type { PortalPrincipal } from '../../../shared/context/principal.ts';
import { keyOfPeer } from '../../../shared/identity/peer-keys.ts';
import { AppError, invalid } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { version } from '../../../shared/kernel/version.ts';
import { notePortal } from '../../../shared/portals/report.ts';
import { PublicKey } from '../../../shared/remotes/peer-keys/shapes.ts';
import { fieldErrors } from '../../../shared/shapes/field-errors.ts';
import { type AggregatorDeps, base } from '../deps.ts';
import { type Accepted, type Self, ToldPortal } from './schema.ts';

type AggregatorCtx = Ctx<AggregatorDeps>;

export const heartbeatPath = `${base}/portals/heartbeat` as const;

/** A portal with its report, before validation. */
type Reporter = PortalPrincipal & { report: unknown };

/**
 * The portal whose report a key of this installation or of a peer has signed.
 * @throws AppError `invalid_token` for every fault of the token, `upstream_*` when the keys of the peer cannot be read
 */
export const portalOf = (ctx: AggregatorCtx, jwt: string): Promise<Reporter> =>
  proven(ctx, jwt).catch(refused);

/**
 * Stores what a portal reports. The names of a peer's portals begin with the name of the peer, so that none replaces a
 * portal of this installation.
 * @throws AppError `invalid_request` for a report that cannot be stored
 */
export async function acceptHeartbeat(ctx: Ctx<AggregatorDeps, Reporter>): Promise<z.input<typeof Accepted>> {
  const { report, peer } = ctx.principal;
  const { data: portal, error } = ToldPortal.safeParse(report);
  if (!portal) throw invalid(...fieldErrors(error, '/').map(withinToken));
  if (peer !== undefined && portal.name.includes('/')) throw invalid(noSlash);
  const { build = '', os = '', metrics = {}, started_at: startedAt, ...facts } = portal;
  const name = peer === undefined ? portal.name : `${peer.name}/${portal.name}`;
  await notePortal(ctx.deps.db, { ...facts, name, build, os, metrics, started_at: new Date(startedAt) });
  return { result: 'ok', name, expires_in: portal.runtime === 'node' ? 60 : 150 };
}

/** The answering portal and the data of its heartbeats. */
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

async function proven(ctx: AggregatorCtx, jwt: string): Promise<Reporter> {
  const { deps, now } = ctx;
  const claimed = readPeerToken(jwt);
  const isOwn = claimed.issuer === deps.baseUrl;
  const found = isOwn ? undefined : await findPeer(deps.db, claimed.issuer);
  if (!isOwn && !found) throw new PeerTokenFault('unknown_issuer');
  const key = found ? await keyOfPeer(ctx, found.peer, claimed) : ownKey(deps, claimed);
  const audience = `${deps.baseUrl}${heartbeatPath}`;
  const { claims } = await provePeerToken(jwt, claimed, key, { typ: tokenTypes.heartbeat, audience, now });
  const peer = found && { id: found.peer.id, name: found.peer.name };
  return { kind: 'portal', peer, report: claims.portal };
}

function ownKey({ signingKeys }: AggregatorDeps, { kid }: ClaimedToken): PeerKey {
  const own = PublicKey.safeParse(signingKeys.jwks.keys.find((key) => key.kid === kid));
  if (!own.success) throw new PeerTokenFault('unknown_key');
  return own.data;
}

function refused(error: unknown): never {
  if (!(error instanceof PeerTokenFault)) throw error;
  throw new AppError('invalid_token', 'The token is not valid', {}, { cause: error });
}

type Fault = Parameters<typeof invalid>[number];

const withinToken = (fault: Fault): Fault => ({ ...fault, pointer: `/token/portal${fault.pointer}` });

const noSlash: Fault = {
  pointer: '/token/portal/name',
  code: 'invalid_format',
  detail: 'The name of a portal of a peer must not contain a slash',
};
