import type { z } from 'zod';
import { findGateway, noteHeartbeat, noteReturn } from '../../../db/repositories/gateways/heartbeats.ts';
import { gatewayRecord } from '../../../db/repositories/gateways/records.ts';
import type { GatewayPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WsproxyDeps } from '../deps.ts';
import type { HeartbeatBody } from './schema.ts';

/** The gateways of tokens that were valid in this process, by digest; at most these many. */
const validTokens = new WeakMap<WsproxyDeps, Map<string, string>>();
const mostTokens = 1_000;

/**
 * Proves a gateway before its body is read. A token that was valid before costs no round trip here: the heartbeat itself
 * checks it again.
 * @throws AppError `forbidden` without the token of a gateway
 */
export async function gatewayOf({ deps, bearer }: RequestCtx<WsproxyDeps>): Promise<GatewayPrincipal> {
  const valid = validTokens.get(deps) ?? new Map<string, string>();
  validTokens.set(deps, valid);
  const hash = sha256(bearer ?? '');
  const id = valid.get(hash) ?? (bearer === undefined ? undefined : await findGateway(deps.db, hash));
  if (id === undefined) throw notGateway();
  if (valid.size >= mostTokens) valid.clear();
  valid.set(hash, id);
  return { kind: 'gateway', id };
}

const notGateway = (): AppError => new AppError('forbidden', 'A gateway token is required');

/**
 * Notes what a gateway tells of itself; one round trip, and another when the journal was told that it is silent.
 * @throws AppError `forbidden` without the token of a gateway
 */
export async function hearGateway(
  { deps, bearer, now }: RequestCtx<WsproxyDeps>,
  told: z.output<typeof HeartbeatBody>,
): Promise<object> {
  const heard = bearer === undefined ? undefined : await noteHeartbeat(deps.db, sha256(bearer), told);
  if (!heard) throw notGateway();
  if (heard.noted_status === 'fail')
    await noteReturn(deps.db, { id: heard.id, record: gatewayRecord(heard, 'pass', now) });
  return {};
}
