import { z } from 'zod';
import { isObject } from '../../../kernel/json/json.ts';
import type { Transport, TransportRequest } from '../../http/transport.ts';
import type { Call, DispatcherActions } from '../port.ts';
import { unknown } from '../rows.ts';
import { Assistance, Delivery, Policies } from './action-shapes.ts';
import { converse } from './exchange.ts';
import { PoolRow, SessionRow, WorkplaceRow } from './list-shapes.ts';

export function createActions(transport: Transport): DispatcherActions {
  const { pool, workplace, session } = rows;
  return {
    policies: (call, uuid) => order(transport, call, 'GET', ['servicespools', uuid, 'policies'], Policies),
    updatePool: (call, uuid, body) =>
      order(transport, call, 'PUT', ['servicespools', uuid], pool(uuid), body),
    maintainPool: (call, uuid, body) =>
      order(transport, call, 'PATCH', ['servicespools', uuid, 'maintenance'], pool(uuid), body),
    sendMessage: (call, uuid, body) =>
      order(transport, call, 'POST', ['servicespools', uuid, 'message'], Delivery, body),
    changeWorkplace: (call, uuid, verb, body) =>
      order(transport, call, 'PATCH', ['workplaces', uuid, verb], workplace(uuid), body),
    deleteWorkplace: (call, uuid) => order(transport, call, 'DELETE', ['workplaces', uuid], workplace(uuid)),
    endSession: (call, uuid, verb) =>
      order(transport, call, 'PATCH', ['spsessions', uuid, verb], session(uuid), {}),
    assistSession: (call, uuid) =>
      order(transport, call, 'PATCH', ['spsessions', uuid, 'raconnect'], Assistance, {}),
  };
}

/*
 * Any 2xx response means that the order was carried out, regardless of its body. Only valid members of a row are used;
 * a row of another object is ignored.
 */
const rows = {
  pool: (uuid: string) => membersOf(PoolRow, 'uuid', uuid),
  workplace: (uuid: string) => membersOf(WorkplaceRow, 'uuid', uuid),
  session: (uuid: string) => membersOf(SessionRow, 'session_uuid', uuid),
};

/** Null is a valid value of these members. For other members, null means that the node does not report them. */
const mayBeNull: ReadonlySet<string> = new Set([
  ...['owner', 'in_use_since', 'client_ip', 'client_host', 'gateway_id', 'agent_version', 'agent_seen_at'],
]);

function membersOf<S extends z.ZodRawShape>({ shape }: z.ZodObject<S>, key: string, uuid: string) {
  const members: [name: string, member: z.ZodType][] = Object.entries(shape) as [string, z.ZodType][];
  return z.unknown().transform((body): Partial<z.output<z.ZodObject<S>>> => {
    if (!isObject(body)) return {};
    const read = members.flatMap(([name, member]) => {
      const found = Object.hasOwn(body, name) ? member.safeParse(body[name]) : undefined;
      const isAnswer =
        found?.success && found.data !== unknown && (found.data !== null || mayBeNull.has(name));
      return isAnswer ? [[name, found.data] as const] : [];
    });
    const row: Record<string, unknown> = Object.fromEntries(read);
    const isOther = row[key] !== undefined && row[key] !== uuid;
    return (isOther ? {} : row) as Partial<z.output<z.ZodObject<S>>>;
  });
}

function order<Shape extends z.ZodType>(
  transport: Transport,
  { key, ...to }: Call,
  method: TransportRequest['method'],
  segments: readonly string[],
  answer: Shape,
  body?: object,
): Promise<z.output<Shape>> {
  return converse(transport, {
    ...to,
    method,
    path: `/api/webui/${segments.map(encodeURIComponent).join('/')}`,
    credentials: { 'x-auth-token': key },
    ...(body && { body }),
    answer,
    isAction: true,
  });
}
