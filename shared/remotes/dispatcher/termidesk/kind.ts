import type { z } from 'zod';
import type { Transport } from '../../http/transport.ts';
import type {
  ConnectionQuery,
  Reconnection as ReconnectionLink,
  Service as UserService,
} from '../connections.ts';
import { followCursors } from '../cursors.ts';
import { badAnswer, fromConnecting } from '../failures.ts';
import { readRow } from '../lenient-rows.ts';
import {
  type Call,
  type DispatcherAdapter,
  type DispatcherKind,
  deadlineOf,
  type KindParts,
} from '../port.ts';
import { createActions } from './actions.ts';
import {
  Connection,
  Domains,
  Health,
  Readiness,
  Reconnection,
  Service,
  ServicePage,
} from './client-shapes.ts';
import { converse } from './exchange.ts';
import { keyed, termideskKeys } from './keys.ts';
import { readList } from './lists.ts';

const pageSize = 500;
const maxServices = 5000;
const maxPages = 50;

/** Termidesk: JSON over HTTPS, with session keys. */
export const termidesk: DispatcherKind = { create };

function create(parts: KindParts): DispatcherAdapter {
  const { transport } = parts;
  return {
    ...termideskKeys.create(parts),
    domains: (call) => {
      const path = '/api/auth/v7.0/authenticators';
      return converse(transport, { ...keyed(call), method: 'GET', path, answer: Domains });
    },
    health: ({ healthKey, ...to }) =>
      converse(transport, {
        ...to,
        method: 'GET',
        path: '/api/health/check',
        credentials: { authorization: `Token ${healthKey}` },
        answer: Health,
        // A failing node responds with 503 and the same body.
        alsoAnswers: [503],
      }),
    services: (call) => services(transport, call),
    connectionInfo: async (call, uuid, query) => {
      try {
        return await readService(transport, call, ['connectionInfo', uuid], query, Connection);
      } catch (error) {
        throw fromConnecting(call.node, error);
      }
    },
    preconnectionInfo: (call, uuid, query) =>
      readService(transport, call, ['preconnectionInfo', uuid], query, Readiness),
    reconnect: (call, sessionUuid) => reconnect(transport, call, sessionUuid),
    list: (call, kind, query) => readList(transport, call, kind, query),
    ...createActions(transport),
  };
}

async function services(transport: Transport, call: Call): Promise<UserService[]> {
  const endsAt = performance.now() + deadlineOf(call);
  const found: UserService[] = [];
  const nextOf = followCursors(call.node);
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { items, next } = await converse(transport, {
      ...keyed(call),
      deadlineMs: endsAt - performance.now(),
      method: 'GET',
      path: '/api/client/v7.0/services',
      query: { limit: String(pageSize), cursor },
      answer: ServicePage,
    });
    const rows = items.flatMap(serviceOf);
    if (rows.length === 0 && items.length > 0) throw badAnswer(call.node, 'wrong_shape');
    found.push(...rows);
    if (found.length > maxServices) break;
    cursor = nextOf({ next, isEmpty: items.length === 0 });
    if (cursor === undefined) return found;
  }
  throw badAnswer(call.node, 'too_large');
}

/** Returns an empty list for a row without an identity. */
function serviceOf(item: unknown): UserService[] {
  const { row } = readRow(Service, 'uuid', item);
  return row ? [{ ...row, name: row.name ?? row.uuid }] : [];
}

/** Reads the connection parameters or the readiness of a service. */
function readService<Shape extends z.ZodType>(
  transport: Transport,
  call: Call,
  [resource, uuid]: [question: string, uuid: string],
  query: ConnectionQuery,
  answer: Shape,
): Promise<z.output<Shape>> {
  const path = `/api/client/v7.0/${resource}/${encodeURIComponent(uuid)}`;
  return converse(transport, {
    ...keyed(call),
    method: 'GET',
    path,
    query: { ...query },
    answer,
    isAction: true,
  });
}

function reconnect(transport: Transport, call: Call, sessionUuid: string): Promise<ReconnectionLink> {
  return converse(transport, {
    ...keyed(call),
    method: 'POST',
    path: '/api/client/v7.0/reconnect/',
    body: { session_uuid: sessionUuid },
    answer: Reconnection,
    isAction: true,
  });
}
