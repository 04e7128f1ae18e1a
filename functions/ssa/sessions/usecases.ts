import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { addSessionAgent, noteAlive } from '../../../db/repositories/agent-sessions.ts';
import { appendMonitoringRows } from '../../../db/repositories/monitoring.ts';
import { newSessionAgentToken } from '../../../shared/access/agent-tokens.ts';
import { agentOf, type SessionAgent } from '../../../shared/fleet/agents/credentials.ts';
import { journalEntry } from '../../../shared/fleet/agents/journal.ts';
import { beginSession, endSession, personOf } from '../../../shared/fleet/agents/sessions.ts';
import { sha256 } from '../../../shared/kernel/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { SsaCtx } from '../deps.ts';
import type { EventsBody, LoginBody, RegisterBody } from './schema.ts';

export async function register(
  ctx: SsaCtx,
  { token: ofAgent, session_id, username }: z.output<typeof RegisterBody>,
): Promise<{ token: string }> {
  const { deps, now } = ctx;
  const agent = await agentOf(ctx, ofAgent);
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

export async function note(ctx: SsaCtx, { session }: SessionAgent): Promise<'ok'> {
  await noteAlive(ctx.deps.db, session.id, ctx.now);
  return 'ok';
}

export async function begin(
  ctx: SsaCtx,
  agent: SessionAgent,
  { username, session_type: sessionType }: z.output<typeof LoginBody>,
): Promise<'ok'> {
  await beginSession(ctx, agent, { username, sessionType, sessionId: agent.session.uuid });
  return 'ok';
}

export async function end(ctx: SsaCtx, agent: SessionAgent): Promise<'ok'> {
  const { uuid: sessionId, user_name: username } = agent.session;
  await endSession(ctx, agent, { sessionId, username });
  return 'ok';
}

export async function writeEvents(
  { deps, now }: SsaCtx,
  agent: SessionAgent,
  { events }: z.output<typeof EventsBody>,
): Promise<'ok'> {
  const { session, workplace } = agent;
  const entries = events.map(({ at, kind, data }) =>
    journalEntry(agent, now, {
      code: 'session_event',
      message: `${session.user_name} at ${workplace.name}: ${kind}`,
      // A clock that is ahead must not put the record before all that come later, nor have it kept for ever.
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
