import type { z } from 'zod';
import type { Transport, TransportRequest } from '../http/transport.ts';
import { converse } from './exchange.ts';
import { PoolRow, SessionRow, WorkplaceRow } from './list-shapes.ts';
import { Delivery } from './maintenance-shapes.ts';
import type { Call, DispatcherMaintenance } from './port.ts';

export const createMaintenance = (transport: Transport): DispatcherMaintenance => ({
  setPoolMaintenance: (call, uuid, body) =>
    order(
      transport,
      call,
      'PATCH',
      ['servicespools', uuid, 'maintenance'],
      PoolRow.refine(isAbout(uuid)),
      body,
    ),
  setWorkplaceMaintenance: (call, uuid, body) =>
    order(
      transport,
      call,
      'PATCH',
      ['workplaces', uuid, 'maintenance'],
      WorkplaceRow.refine(isAbout(uuid)),
      body,
    ),
  sendMessage: (call, uuid, body) =>
    order(transport, call, 'POST', ['servicespools', uuid, 'message'], Delivery, body),
  endSession: (call, uuid, verb) => {
    const shape = SessionRow.refine(({ session_uuid }) => session_uuid === uuid.toLowerCase());
    return order(transport, call, 'PATCH', ['spsessions', uuid, verb], shape, {});
  },
});

/** The row of another object would be written in the place of the one that was asked for. */
const isAbout = (uuid: string) => (row: { uuid: string }) => row.uuid === uuid.toLowerCase();

const order = <Shape extends z.ZodType>(
  transport: Transport,
  { key, ...to }: Call,
  method: TransportRequest['method'],
  segments: readonly string[],
  answer: Shape,
  body: object,
): Promise<z.output<Shape>> =>
  converse(transport, {
    ...to,
    method,
    path: `/api/webui/${segments.map(encodeURIComponent).join('/')}`,
    credentials: { 'x-auth-token': key },
    body,
    answer,
    isAction: true,
  });
