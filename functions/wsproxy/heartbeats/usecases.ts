import type { z } from 'zod';
import { findGateway, noteHeartbeat, noteReturn } from '../../../db/repositories/gateways/heartbeats.ts';
import { gatewayRecord } from '../../../db/repositories/gateways/records.ts';
import type { GatewayPrincipal } from '../../../shared/context/principal.ts';
import { perProcess } from '../../../shared/context/process-memory.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WsproxyDeps } from '../deps.ts';
import type { HeartbeatBody } from './schema.ts';

/** Gateways by the digest of a token that was valid in this process; at most `mostTokens`. */
const validTokens = perProcess(() => new Map<string, string>());
const mostTokens = 1_000;

/**
 * Authenticates a gateway before its body is read. A cached token costs no round trip, because the heartbeat
 * itself verifies it again.
 * @throws AppError `forbidden` without a valid gateway token
 */
export async function gatewayOf({ deps, bearer }: RequestCtx<WsproxyDeps>): Promise<GatewayPrincipal> {
  const valid = validTokens(deps);
  const hash = sha256(bearer ?? '');
  const id = valid.get(hash) ?? (bearer === undefined ? undefined : await findGateway(deps.db, hash));
  if (id === undefined) throw notGateway();
  if (valid.size >= mostTokens) valid.clear();
  valid.set(hash, id);
  return { kind: 'gateway', id };
}

const notGateway = (): AppError => new AppError('forbidden', 'A gateway token is required');

/**
 * Stores the report of a gateway: one round trip, and another if the gateway was recorded as offline in the
 * journal.
 * @throws AppError `forbidden` without a valid gateway token
 */
export async function storeHeartbeat(
  { deps, bearer, now }: RequestCtx<WsproxyDeps>,
  report: z.output<typeof HeartbeatBody>,
): Promise<object> {
  const gateway = bearer === undefined ? undefined : await noteHeartbeat(deps.db, sha256(bearer), report);
  if (!gateway) throw notGateway();
  if (gateway.noted_status === 'fail')
    await noteReturn(deps.db, { id: gateway.id, record: gatewayRecord(gateway, 'pass', now) });
  return {};
}
