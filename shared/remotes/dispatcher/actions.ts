import type { z } from 'zod';
import type { Transport, TransportRequest } from '../http/transport.ts';
import { Assistance, Delivery, Policies } from './action-shapes.ts';
import { converse } from './exchange.ts';
import { PoolRow, SessionRow, WorkplaceRow } from './list-shapes.ts';
import type { Call, DispatcherActions } from './port.ts';

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

/** Rows of the object that was asked for: another one would be written in its place. */
const rows = {
  pool: (uuid: string) => PoolRow.refine((row) => row.uuid === uuid),
  workplace: (uuid: string) => WorkplaceRow.refine((row) => row.uuid === uuid),
  session: (uuid: string) => SessionRow.refine((row) => row.session_uuid === uuid),
};

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
