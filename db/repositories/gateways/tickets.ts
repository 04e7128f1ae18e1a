import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { gateways } from '../../schema/gateways/gateways.ts';
import { gatewayTickets as table } from '../../schema/gateways/tickets.ts';
import { gatewayTunnels as tunnels } from '../../schema/gateways/tunnels.ts';
import { farms } from '../../schema/sites/farms.ts';
import { bytesOf, updateCounters } from './counters.ts';

/** Seconds in which the first tunnel of a ticket must begin. Open tunnels are not limited. */
export const ticketLifeS = 60;

/** `clientIp` is null if the source address of the tunnels is not known in advance. */
export type NewTicket = {
  id: string;
  ticketHash: string;
  gatewayId: string;
  userId: string;
  farmId: string;
  sessionUuid: string | null;
  clientIp: string | null;
  host: string;
  port: number;
  /** Maximum number of tunnels. */
  tunnels: number;
  /** Seconds after the first tunnel in which the other tunnels must begin. */
  followS: number;
};

/** Stores a ticket; does nothing if the gateway or the farm was deleted meanwhile. */
export const addTicket = (h: Db, ticket: NewTicket): Statement =>
  h.insert(table).select(
    sql`select ${ticket.id}::uuid, ${ticket.ticketHash}::text, ${gateways.id}, ${ticket.userId}::uuid, ${farms.id},
      ${ticket.sessionUuid}::uuid, ${ticket.clientIp}::text, ${ticket.host}::text, ${ticket.port}::int,
      ${ticket.tunnels}::int, ${ticket.followS}::int, now(), now() + make_interval(secs => ${ticketLifeS}), null::timestamptz
      from ${gateways} cross join ${farms}
      where ${gateways.id} = ${ticket.gatewayId}::uuid and ${farms.id} = ${ticket.farmId}::uuid`,
  );

/** `clientIp` is in the form of `plainAddress`; `notifyHash` is the hash of the token that ends the tunnel. */
export type TicketUse = {
  tunnelId: string;
  ticketHash: string;
  tokenHash: string;
  clientIp: string;
  notifyHash: string;
};

/**
 * Opens a tunnel with a ticket at its gateway, which must be enabled. Concurrent calls open at most the remaining
 * number of tunnels. The first tunnel binds the ticket to its client address, if the gateway compares addresses. The
 * gateway row is locked first, in the same order as in its deletion. One statement, by the clock of the database.
 * @returns the target of the tunnel, or undefined if the ticket is not valid here
 */
export async function useTicket(
  db: Db,
  { tunnelId, ticketHash, tokenHash, clientIp, notifyHash }: TicketUse,
): Promise<{ host: string; port: number } | undefined> {
  const gate = gateOf(db, and(eq(gateways.token_hash, tokenHash), gateways.enabled));
  const used = db.$with('used').as(
    db
      .update(table)
      .set({
        tunnels_left: sql`${table.tunnels_left} - 1`,
        client_ip: clientIp,
        used_at: sql`coalesce(${table.used_at}, now())`,
      })
      .where(and(eq(table.ticket_hash, ticketHash), isValidFor(clientIp), ofGate))
      .returning({ id: table.id, gateway_id: table.gateway_id, host: table.host, port: table.port }),
  );
  const opened = db
    .$with('opened')
    .as(
      db
        .insert(tunnels)
        .select(
          sql`select ${tunnelId}::uuid, id, ${notifyHash}::text, now(), null::timestamptz, false, 0, 0 from used`,
        )
        .returning({ id: tunnels.id }),
    );
  const counted = updateCounters(db, sql`select gateway_id from used`, { connections: sql`1` });
  const [row] = await db
    .with(gate, used, opened, counted)
    .select({ host: sql<string>`used.host`, port: sql<number>`used.port` })
    .from(used);
  return row;
}

/** Byte counts of the gateway; safe integers. */
export type TunnelEnd = { notifyHash: string; tokenHash: string; sent: number; received: number };

/**
 * Ends a tunnel at the gateway that opened it, once. A gateway that was disabled meanwhile still ends its tunnels,
 * and a late report for a presumed-ended tunnel still counts its bytes. One statement. The gateway row is locked
 * first, so that concurrent reports of one process are compared in sequence.
 * @returns false if the tunnel does not exist
 */
export async function endTunnel(db: Db, { notifyHash, tokenHash, ...reported }: TunnelEnd): Promise<boolean> {
  const gate = gateOf(db, eq(gateways.token_hash, tokenHash));
  const bytes = bytesOf(db, reported);
  const open = db.$with('open').as(
    db
      .select({ id: tunnels.id, gateway_id: table.gateway_id, presumed_ended: tunnels.presumed_ended })
      .from(tunnels)
      .innerJoin(table, eq(table.id, tunnels.ticket_id))
      .where(
        and(
          eq(tunnels.notify_hash, notifyHash),
          or(isNull(tunnels.stopped_at), tunnels.presumed_ended),
          ofGate,
        ),
      )
      .for('no key update', { of: tunnels }),
  );
  const ended = db.$with('ended').as(
    db
      .update(tunnels)
      .set({
        stopped_at: sql`now()`,
        presumed_ended: false,
        sent: sql`(select sent from bytes)`,
        received: sql`(select received from bytes)`,
      })
      .where(sql`${tunnels.id} in (select id from open)`)
      .returning({ id: tunnels.id }),
  );
  const counted = updateCounters(db, sql`select gateway_id from open`, {
    connections: sql`(select case when presumed_ended then 0 else -1 end from open)`,
    sent: sql`(select sent from bytes)`,
    received: sql`(select received from bytes)`,
    processCounters: sql`(select counters from bytes)`,
  });
  const rows = await db.with(gate, bytes, open, ended, counted).select({ id: sql`ended.id` }).from(ended);
  return rows.length > 0;
}

/** Before its first tunnel a ticket is valid until it expires, afterwards for `follow_s` seconds. */
const isValidFor = (clientIp: string) =>
  and(
    gt(table.tunnels_left, 0),
    sql`coalesce(${table.used_at} + make_interval(secs => ${table.follow_s}), ${table.expires_at}) > now()`,
    sql`exists(select 1 from gate where gate.id = ${table.gateway_id} and (gate.client_address = 'off'
      or coalesce(${table.client_ip} = ${clientIp}, true)
      or (gate.client_address = 'family' and family(${table.client_ip}::inet) <> family(${clientIp}::inet))))`,
  );

const gateOf = (db: Db, which: SQL | undefined) =>
  db.$with('gate').as(
    db
      .select({
        id: gateways.id,
        client_address: gateways.client_address,
        byte_counters: gateways.byte_counters,
        process_counters: gateways.process_counters,
      })
      .from(gateways)
      .where(which)
      .for('no key update'),
  );

const ofGate = sql`${table.gateway_id} in (select id from gate)`;
