import type { z } from 'zod';
import { endTunnel as end, useTicket } from '../../../db/repositories/gateways/tickets.ts';
import { randomAlphanumerics, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { plainAddress } from '../../../shared/kernel/networks.ts';
import type { WsproxyCtx } from '../deps.ts';
import type { BeginParams, EndParams, EndQuery, Tunnel } from './schema.ts';

/**
 * Opens a tunnel with a ticket. One round trip.
 * @returns the destination and the secret that ends the tunnel
 * @throws AppError `forbidden` for every invalid request
 */
export async function beginTunnel(
  { deps }: WsproxyCtx,
  { ticket, client_ip, gateway_token }: z.output<typeof BeginParams>,
): Promise<z.input<typeof Tunnel>> {
  const clientIp = plainAddress(client_ip);
  if (clientIp === undefined) throw new AppError('forbidden');
  const notify = randomAlphanumerics(48);
  const use = { tunnelId: newId(), clientIp, tokenHash: sha256(gateway_token), notifyHash: sha256(notify) };
  const target = await useTicket(deps.db, { ...use, ticketHash: sha256(ticket) });
  if (!target) throw new AppError('forbidden');
  return { ...target, notify, tunnel_key: sha256(`tunnel:${ticket}`) };
}

/** @throws AppError `forbidden` unless the tunnel is open at this gateway */
export async function endTunnel(
  { deps }: WsproxyCtx,
  { notify, gateway_token }: z.output<typeof EndParams>,
  { sent, recv: received }: z.output<typeof EndQuery>,
): Promise<object> {
  const which = { notifyHash: sha256(notify), tokenHash: sha256(gateway_token) };
  if (!(await end(deps.db, { ...which, sent, received }))) throw new AppError('forbidden');
  return {};
}
