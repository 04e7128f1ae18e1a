import type { z } from 'zod';
import { noteHeartbeat, noteReturn } from '../../../db/repositories/gateway-heartbeats.ts';
import { gatewayRecord } from '../../../db/repositories/gateway-records.ts';
import { sha256 } from '../../../shared/kernel/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WsproxyCtx } from '../deps.ts';
import { excuseGateway } from '../quota.ts';
import type { HeartbeatBody } from './schema.ts';

/**
 * Notes what a gateway tells of itself; one round trip, and another when the journal was told that it is silent.
 * @throws AppError `forbidden` without the token of a gateway
 */
export async function hearGateway(
  { deps, bearer, client, now }: WsproxyCtx,
  told: z.output<typeof HeartbeatBody>,
): Promise<object> {
  const heard = bearer === undefined ? undefined : await noteHeartbeat(deps.db, sha256(bearer), told);
  if (!heard) throw new AppError('forbidden', 'This needs the token of a gateway');
  excuseGateway(deps, client.ip);
  if (heard.noted_status === 'fail')
    await noteReturn(deps.db, { id: heard.id, record: gatewayRecord(heard, 'pass', now) });
  return {};
}
