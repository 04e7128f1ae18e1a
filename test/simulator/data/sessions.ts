import { randomBytes } from 'node:crypto';
import type { Person, Protocol, Workplace, WorkplaceSession } from './rows.ts';
import { type DispatcherState, personKey, touchWorkplace } from './state.ts';

export type SessionStart = {
  person: Person;
  protocol: Protocol;
  client_ip?: string | undefined;
  client_host?: string | undefined;
};

/** Opens the workplace's session, or continues the existing one; the workplace is assigned to the user. */
export function openSession(
  state: DispatcherState,
  workplace: Workplace,
  start: SessionStart,
): WorkplaceSession {
  const session = workplace.session ?? newSession(state, workplace, start);
  session.protocol = start.protocol;
  session.client_ip = start.client_ip ?? null;
  session.client_host = start.client_host ?? null;
  session.state = 'active';
  session.last_seen_at = new Date().toISOString();
  workplace.session = session;
  workplace.owner = session.person;
  state.sessions.put(session.session_uuid, session);
  touchWorkplace(state, workplace);
  return session;
}

export function disconnectSession(state: DispatcherState, session: WorkplaceSession): void {
  session.state = 'disconnected';
  state.sessions.touch(session.session_uuid);
}

/** The workplace stays assigned to its owner. */
export function endSession(state: DispatcherState, session: WorkplaceSession): void {
  session.workplace.session = null;
  state.sessions.remove(session.session_uuid);
  forget(state, session);
  touchWorkplace(state, session.workplace);
}

export function liveSessions(state: DispatcherState, person: Person): WorkplaceSession[] {
  return [...(state.sessionsByPerson.get(personKey(person)) ?? [])];
}

/** @returns the ticket of the only valid reconnect link from now on */
export function renewTicket(session: WorkplaceSession): string {
  const ticket = randomBytes(24).toString('base64url');
  session.ticket = ticket;
  return ticket;
}

function newSession(state: DispatcherState, workplace: Workplace, start: SessionStart): WorkplaceSession {
  const now = new Date().toISOString();
  const session: WorkplaceSession = {
    session_uuid: state.newUuid('session'),
    workplace,
    person: start.person,
    protocol: start.protocol,
    client_ip: null,
    client_host: null,
    state: 'active',
    started_at: now,
    last_seen_at: now,
    ticket: null,
  };
  const key = personKey(start.person);
  state.sessionsByPerson.set(key, (state.sessionsByPerson.get(key) ?? new Set()).add(session));
  return session;
}

function forget({ sessionsByPerson }: DispatcherState, session: WorkplaceSession): void {
  const key = personKey(session.person);
  const sessions = sessionsByPerson.get(key);
  sessions?.delete(session);
  if (sessions?.size === 0) sessionsByPerson.delete(key);
}
