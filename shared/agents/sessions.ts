import { atomically } from '../../db/client.ts';
import { endSessionAgents, beginSession as insertSession } from '../../db/repositories/agents/sessions.ts';
import { appendMonitoring } from '../../db/repositories/monitoring/records.ts';
import { removeSession, updateWorkplaceRow } from '../../db/repositories/snapshot/write-through.ts';
import type { BaseDeps, Ctx } from '../context/context.ts';
import { isId, newId } from '../kernel/ids.ts';
import { type NodeUser, parseUserName, personKey, withoutSuffix } from '../kernel/names/user-names.ts';
import { foldName } from '../kernel/text.ts';
import type { Agent } from './credentials.ts';
import { journalEntry } from './journal.ts';

type AgentCtx = Pick<Ctx<BaseDeps>, 'deps' | 'now'>;

/** The user and the type of a new session. `sessionId` is set if the agent already has an identifier. */
export type Beginning = {
  username: string;
  sessionType: string | undefined;
  sessionId?: string | undefined;
};

/**
 * Writes the start of a session to the snapshot and the journal, in one batch. A session of the same person in the
 * snapshot is reused.
 * @returns the identifier of the session
 */
export async function beginSession(
  { deps, now }: AgentCtx,
  agent: Agent,
  { username, sessionType, sessionId }: Beginning,
): Promise<string> {
  const { farm, workplace } = agent;
  const person = personOf(agent, username);
  const isKnown = agent.sessions.some(({ uuid: known }) => known === sessionId);
  const uuid = (isKnown ? sessionId : sessionOf(agent, person)?.uuid) ?? sessionId ?? newId();
  const session = {
    ...sessionAt(agent, person),
    uuid,
    protocol: sessionType?.toLowerCase() || 'unknown',
    state: 'active',
    started_at: now,
    last_seen_at: now,
  };
  const used = {
    in_use: true,
    in_use_since: (workplace.in_use_since ?? now).toISOString(),
    agent_seen_at: now.toISOString(),
    ...(workplace.state === 'ready' && { state: 'in_use' }),
  };
  const message = `${nameOf(person)} logged in at ${workplace.name}`;
  await atomically(deps.db, (h) => [
    insertSession(h, session),
    updateWorkplaceRow(h, farm.id, workplace.uuid, used),
    appendMonitoring(
      h,
      journalEntry(agent, now, { code: 'session_begun', message, details: { session_uuid: uuid } }),
    ),
  ]);
  return uuid;
}

const sessionAt = ({ farm, workplace }: Agent, { domain, name }: NodeUser) => ({
  farm_id: farm.id,
  servicepool_uuid: workplace.servicepool_uuid,
  servicepool_name: workplace.servicepool_name,
  workplace_uuid: workplace.uuid,
  workplace_name: workplace.name,
  workplace_ip: workplace.ip,
  user_name: name,
  user_domain: domain,
  user_key: personKey({ domain, name }),
  client_ip: workplace.client_ip,
  client_host: workplace.client_host,
});

/** The session to end: by its identifier or by the user. */
export type Ending = { sessionId: string | undefined; username?: string | undefined };

/** Writes the end of a session to the snapshot and the journal, and ends its session agent, in one batch. */
export async function endSession({ deps, now }: AgentCtx, agent: Agent, ending: Ending): Promise<void> {
  const { farm, workplace } = agent;
  const ended = endedBy(agent, ending).map(({ uuid }) => uuid);
  const left = agent.sessions.filter(({ uuid }) => !ended.includes(uuid));
  const free = {
    agent_seen_at: now.toISOString(),
    ...(left.length === 0 && {
      in_use: false,
      in_use_since: null,
      ...(workplace.state === 'in_use' && { state: 'ready' }),
    }),
  };
  // An agent may send any session identifier. Only identifiers that the portal assigned can belong to a session agent.
  const known = [...ended, ending.sessionId ?? ''].filter(isId);
  const message = `A session at ${workplace.name} has ended`;
  await atomically(deps.db, (h) => [
    ...ended.flatMap((uuid) => removeSession(h, farm.id, uuid)),
    updateWorkplaceRow(h, farm.id, workplace.uuid, free),
    ...(known.length > 0 ? [endSessionAgents(h, agent.id, known)] : []),
    ...ended.map((uuid) =>
      appendMonitoring(
        h,
        journalEntry(agent, now, { code: 'session_ended', message, details: { session_uuid: uuid } }),
      ),
    ),
  ]);
}

/**
 * Finds the session to end. The identifier of the dispatcher may differ from that of the agent. In this case the user
 * name decides. Without a user name, the only session is used.
 */
function endedBy(agent: Agent, { sessionId, username }: Ending): Agent['sessions'] {
  const { sessions } = agent;
  const named = sessions.filter(({ uuid }) => uuid === sessionId?.toLowerCase());
  if (named.length > 0) return named;
  if (username === undefined) return sessions.length === 1 ? sessions : [];
  const found = sessionOf(agent, personOf(agent, username));
  return found ? [found] : [];
}

/**
 * Agents use their own names for domains. If the user is the owner of the workplace, the owner's domain is used
 * instead.
 */
export function personOf({ workplace }: Agent, username: string): NodeUser {
  const user = parseUserName(username);
  const { owner_name: owner, owner_domain } = workplace;
  const names = [user.name, withoutSuffix(user.name)].map(foldName);
  if (owner !== null && names.includes(foldName(owner))) return { domain: owner_domain ?? '', name: owner };
  return user;
}

/** Without a domain, only the name is compared. */
function sessionOf({ sessions }: Agent, { domain, name }: NodeUser): Agent['sessions'][number] | undefined {
  const key = personKey({ domain, name });
  return (
    sessions.find(({ user_key }) => user_key === key) ??
    sessions.find(({ user_key }) => domain === '' && user_key.endsWith(`\\${foldName(name)}`))
  );
}

const nameOf = ({ domain, name }: NodeUser): string => (domain === '' ? name : `${domain}\\${name}`);
