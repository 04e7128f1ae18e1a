import { randomBytes } from 'node:crypto';
import type { Pool, Protocol, SpiceSettings, Workplace, WorkplaceSession } from '../data/rows.ts';
import { liveSessions, openSession } from '../data/sessions.ts';
import { type DispatcherState, personKey } from '../data/state.ts';
import { isFree, poolState } from '../data/views.ts';
import { assignOwner } from '../data/workplaces.ts';
import { Refusal } from '../refusal.ts';

/** The user of a session key. */
export type Caller = { domain: string; name: string; groups: string[]; client_ip: string | undefined };

export type ConnectionWish = { protocol?: string | undefined; hostname?: string | undefined };

type Readiness = {
  verdict: 'connect' | 'wait' | 'abandon';
  state: string;
  reason_code: string;
  protocol: Protocol;
  workplace?: Workplace;
  percent?: number;
};

const retryAfterMs = { connect: 0, wait: 2_000, abandon: 60_000 } as const;

export function isEntitled({ entitled }: Pool, caller: Caller): boolean {
  if (entitled === 'all') return true;
  const groups = caller.groups.map((group) => group.toLowerCase());
  return (
    entitled.users.some((user) => user.toLowerCase() === personKey(caller)) ||
    entitled.groups.some((group) => groups.includes(group.toLowerCase()))
  );
}

/** One entry of the user's list of services. */
export function serviceView(pool: Pool, sessions: readonly WorkplaceSession[]) {
  const own = sessions.filter(({ workplace }) => workplace.pool === pool);
  const state = poolState(pool);
  return {
    uuid: pool.uuid,
    name: pool.name,
    description: pool.comments,
    protocols: pool.protocols,
    // Users see four states; a service in preparation is unavailable.
    state: state === 'preparing' ? 'busy' : state,
    in_use: own.length > 0,
    maintenance: pool.maintenance,
    sessions: own.map(({ session_uuid, state: sessionState }) => ({ session_uuid, state: sessionState })),
  };
}

/** Without any effect. */
export function preconnect(state: DispatcherState, pool: Pool, caller: Caller, wish: ConnectionWish) {
  const found = readiness(state, pool, caller, wish);
  return {
    verdict: found.verdict,
    method: pool.method,
    protocol: found.protocol,
    ready: found.verdict === 'connect',
    state: found.state,
    reason_code: found.reason_code,
    ...(pool.maintenance && pool.maintenance_message ? { message: pool.maintenance_message } : {}),
    ...(found.verdict === 'wait' ? { retry_after_ms: retryAfterMs.wait } : {}),
    ...(found.percent === undefined ? {} : { percent: found.percent }),
  };
}

/**
 * Assigns a workplace to the caller and returns its connection data; the password is valid once.
 * @throws Refusal 409 `service_in_preparation` when preconnectionInfo would not say `connect`
 */
export function connect(state: DispatcherState, pool: Pool, caller: Caller, wish: ConnectionWish) {
  const { workplace, protocol, verdict, reason_code, percent } = readiness(state, pool, caller, wish);
  if (!workplace) {
    throw new Refusal(409, 'service_in_preparation', 'The service is not ready', {
      reason_code,
      percent: percent ?? 0,
      retry_after_ms: retryAfterMs[verdict],
    });
  }
  const session = take(state, workplace, caller, { ...wish, protocol });
  const host = pool.endpoint?.host ?? workplace.ip;
  const port = pool.endpoint?.port ?? ports[protocol];
  return {
    protocol,
    method: pool.method,
    ...(session ? { session_uuid: session.session_uuid } : {}),
    host,
    port,
    username: caller.name,
    domain: caller.domain,
    password: randomBytes(15).toString('base64url'),
    expires_in: 60,
    ...(protocol === 'rdp'
      ? { rdp: rdpSettings }
      : { spice: { ...spiceSettings(workplace, port), ...pool.endpoint?.spice } }),
  };
}

function readiness(state: DispatcherState, pool: Pool, caller: Caller, wish: ConnectionWish): Readiness {
  const protocol = pool.protocols.find((one) => one === wish.protocol) ?? pool.protocols[0] ?? 'rdp';
  const stateNow = poolState(pool);
  const found = (verdict: Readiness['verdict'], reason_code: string, more: Partial<Readiness> = {}) => ({
    verdict,
    reason_code,
    protocol,
    state: stateNow,
    ...more,
  });
  if (wish.protocol && wish.protocol !== protocol) return found('abandon', 'protocol_not_offered');
  const session = liveSessions(state, caller).find(({ workplace }) => workplace.pool === pool);
  if (session) return found('connect', 'session_live', { workplace: session.workplace, state: 'ready' });
  if (pool.maintenance) return found('abandon', 'maintenance');
  if (pool.state === 'unavailable') return found('abandon', 'unavailable');
  if (pool.state === 'preparing') return found('wait', 'preparing', { percent: pool.percent });
  if (pool.state === 'failed') return found('abandon', 'preparation_failed');
  if (pool.state === 'busy') return found('wait', 'no_free_workplace');
  const own = pool.members.find(({ owner }) => owner && personKey(owner) === personKey(caller));
  if (own?.maintenance) return found('abandon', 'maintenance', { state: 'maintenance' });
  const workplace = own ?? pool.members.find(isFree);
  return workplace
    ? found('connect', 'ready', { workplace, state: 'ready' })
    : found('wait', 'no_free_workplace');
}

function take(
  state: DispatcherState,
  workplace: Workplace,
  caller: Caller,
  { protocol, hostname }: { protocol: Protocol; hostname?: string | undefined },
): WorkplaceSession | null {
  const person = { domain: caller.domain, name: caller.name };
  workplace.machine_state = 'running';
  if (workplace.session || state.sessionOnConnect) {
    const { client_ip } = caller;
    return openSession(state, workplace, { person, protocol, client_ip, client_host: hostname });
  }
  assignOwner(state, workplace, person);
  return null;
}

const ports = { rdp: 3389, spice: 5900 } as const;

const rdpSettings = {
  screen_size: 'fullscreen',
  color_depth: 32,
  multimon: false,
  redirect: {
    clipboard: true,
    drives: false,
    printers: true,
    smartcards: false,
    usb: false,
    audio: true,
    microphone: false,
    webcam: false,
  },
};

const spiceSettings = (workplace: Workplace, port: number): SpiceSettings => ({
  tls_port: port + 1,
  ca: null,
  host_subject: `CN=${workplace.hostname}`,
  proxy: null,
  secure_channels: ['main', 'inputs', 'display', 'cursor'],
  usb_redirection: false,
  fullscreen: true,
  title: workplace.name,
});
