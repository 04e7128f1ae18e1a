import { z } from 'zod';
import type { Transport, TransportRequest } from '../http/transport.ts';
import { converse } from './exchange.ts';
import { type ListRow, PoolRow, SessionRow, Uuid, WorkplaceRow } from './list-shapes.ts';
import { word } from './members.ts';
import type { Call } from './port.ts';

export type MaintenanceOrder = { maintenance: boolean; message?: string | undefined };

export type MessageOrder = {
  message: string;
  title?: string | undefined;
  level?: string | undefined;
} & ({ workplaces: string[] } | { all: true });

const Delivery = z.object({
  delivered: z.array(Uuid).max(100_000),
  failed: z.array(z.object({ workplace_uuid: Uuid, code: word })).max(100_000),
});

/**
 * What a maintenance asks of a node, with a session of the aggregator itself; rows are answered as they are now. They
 * throw as the port says, and `not_found` and `invalid_state` about the object.
 */
export type DispatcherMaintenance = {
  setPoolMaintenance(call: Call, pool: string, order: MaintenanceOrder): Promise<ListRow<'servicespools'>>;
  setWorkplaceMaintenance(
    call: Call,
    workplace: string,
    order: MaintenanceOrder,
  ): Promise<ListRow<'workplaces'>>;
  /** To whoever works at these workplaces of the pool. */
  sendMessage(call: Call, pool: string, order: MessageOrder): Promise<z.output<typeof Delivery>>;
  /** `logoff` ends the session, which is then gone. */
  endSession(call: Call, session: string, verb: 'disconnect' | 'logoff'): Promise<ListRow<'spsessions'>>;
};

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
