import type { IncomingMessage } from 'node:http';
import { servicesPage } from './calls/connection.ts';
import { redeem } from './calls/tickets.ts';
import type { Router } from './routes.ts';
import { type BrokerState, type Mode, nowOf, type Session, type User } from './state.ts';
import { type Ask, crashed, denied, fault, type Reply } from './wire.ts';

const restPath = '/uds/rest/';
const ticketPath = '/uds/page/ticket/auth/';
const servicesPath = '/uds/webapi/services';

type Place = { state: BrokerState; mode: Mode; router: Router };

/** Answers one request: a page of a ticket, or a call of the REST interface. */
export function answer(place: Place, request: IncomingMessage): Reply | Promise<Reply> {
  const { state, mode } = place;
  const url = new URL(request.url ?? '/', 'https://broker');
  const agent = request.headers['user-agent'];
  if (!agent || /bot|spider/i.test(agent)) return fault({ mode }, 403, 'Forbbiden');
  const { method = 'GET', headers, socket } = request;
  const ask: Ask = {
    ...{ state, mode, method, query: url.searchParams, headers, path: [], body: {}, caller: undefined },
    ...{ address: clientOf(state, request) ?? socket.remoteAddress ?? '', host: headers.host ?? '' },
  };
  if (url.pathname.startsWith(ticketPath)) return redeem(ask, url.pathname.slice(ticketPath.length));
  if (url.pathname === servicesPath) return servicesPage({ ...ask, caller: visitorOf(state, request) });
  if (!url.pathname.startsWith(restPath)) return { status: 404, body: 'Not found', type: 'text/html' };
  const path = url.pathname.slice(restPath.length).replace(/\/$/, '').split('/').map(decodeURIComponent);
  return callRest(place, { ...ask, path }, request);
}

function clientOf({ isBehindProxy }: BrokerState, { headers }: IncomingMessage): string | undefined {
  const addresses = isBehindProxy ? String(headers['x-forwarded-for'] ?? '').split(',') : [];
  return addresses.at(-1)?.trim() || undefined;
}

async function callRest({ state, mode, router }: Place, ask: Ask, request: IncomingMessage): Promise<Reply> {
  if (mode === '3.6' && !request.headers.cookie) state.webSessions += 1;
  const body = await bodyOf(request);
  const caller = callerOf(state, mode, request);
  if (caller === 'deleted') return mode === '3.6' ? crashed(ask, 'Unexcepected error') : denied(ask);
  if (caller && caller.user.state !== 'A') return denied(ask);
  if (body === undefined) return fault(ask, mode === '3.6' ? 500 : 400, 'Invalid data');
  return router({ ...ask, body, caller });
}

/** The session of the request; `deleted` if its user does not exist any more. */
function callerOf(
  state: BrokerState,
  mode: Mode,
  { headers }: IncomingMessage,
): { session: Session; user: User } | 'deleted' | undefined {
  const bearer = mode === '5.0' ? /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] : undefined;
  const key = bearer ?? String(headers['x-auth-token'] ?? '');
  const session = state.sessions.get(mode === '5.0' ? key.replace(/^ses-/, '') : key);
  if (!session || session.endsAt <= nowOf(state)) return undefined;
  const user = state.users.find(({ id }) => id === session.user);
  return user ? { session, user } : 'deleted';
}

/** The user of the session cookie: pages read the cookie, and the REST interface reads a header. */
function visitorOf(state: BrokerState, { headers }: IncomingMessage): Ask['caller'] {
  const [, key = ''] = /(?:^|; )sessionid=([^;]+)/.exec(headers.cookie ?? '') ?? [];
  const session = state.sessions.get(key);
  const user = state.users.find(({ id, state: is }) => id === session?.user && is === 'A');
  return session && user && session.endsAt > nowOf(state) ? { session, user } : undefined;
}

/** @returns undefined for a body that is not JSON */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  let text = '';
  for await (const chunk of request) text += chunk;
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
