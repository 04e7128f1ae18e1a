import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { addSessionAgent, noteAlive } from '../../../db/repositories/agents/sessions.ts';
import { appendMonitoringRows } from '../../../db/repositories/monitoring/records.ts';
import { newSessionAgentToken } from '../../../shared/access/agent-tokens.ts';
import type { Agent } from '../../../shared/agents/credentials.ts';
import { journalEntry } from '../../../shared/agents/journal.ts';
import { beginSession, endSession, personOf } from '../../../shared/agents/sessions.ts';
import type { Ctx } from '../../../shared/context/context.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { SsaCtx, SsaDeps } from '../deps.ts';
import type { EventsBody, LoginBody, RegisterBody } from './schema.ts';

export async function register(
  { deps, now, principal: agent }: Ctx<SsaDeps, Agent>,
  { session_id, username }: z.output<typeof RegisterBody>,
): Promise<{ token: string }> {
  const { name } = personOf(agent, username);
  const token = newSessionAgentToken();
  const added = {
    id: newId(),
    agent_id: agent.id,
    session_uuid: session_id,
    user_name: username,
    user_key: foldName(name),
    token_hash: sha256(token),
    created_at: now,
    last_seen_at: now,
  };
  await atomically(deps.db, (h) => addSessionAgent(h, added));
  return { token };
}

export async function note({ deps, now, principal }: SsaCtx): Promise<'ok'> {
  await noteAlive(deps.db, principal.session.id, now);
  return 'ok';
}

export async function begin(
  ctx: SsaCtx,
  { username, session_type: sessionType }: z.output<typeof LoginBody>,
): Promise<'ok'> {
  const { principal: agent } = ctx;
  await beginSession(ctx, agent, { username, sessionType, sessionId: agent.session.uuid });
  return 'ok';
}

export async function end(ctx: SsaCtx): Promise<'ok'> {
  const { principal: agent } = ctx;
  const { uuid: sessionId, user_name: username } = agent.session;
  await endSession(ctx, agent, { sessionId, username });
  return 'ok';
}

export async function writeEvents(
  { deps, now, principal: agent }: SsaCtx,
  { events }: z.output<typeof EventsBody>,
): Promise<'ok'> {
  const { session, workplace } = agent;
  const entries = events.map(({ at, kind, data }) =>
    journalEntry(agent, now, {
      code: 'session_event',
      message: `${session.user_name} at ${workplace.name}: ${kind}`,
      // A clock that is ahead must not sort the record before later ones or extend its retention.
      ...(at !== undefined && { at: new Date(Math.min(Date.parse(at), now.getTime())) }),
      details: { session_uuid: session.uuid, kind, data: data ?? null },
    }),
  );
  await atomically(deps.db, (h) => [
    noteAlive(h, session.id, now),
    ...(entries.length > 0 ? [appendMonitoringRows(h, entries)] : []),
  ]);
  return 'ok';
}
