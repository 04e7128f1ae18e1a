import type { z } from 'zod';
import { agentOf } from '../../../shared/fleet/agents/credentials.ts';
import { beginSession, endSession } from '../../../shared/fleet/agents/sessions.ts';
import type { AgentCtx } from '../deps.ts';
import type { LoggedInResult, LoginBody, LogoutBody, NotifyQuery } from './schema.ts';

/** Nothing limits a session from here: that its dispatcher does. */
const unlimited = { dead_line: null, deadline: null, max_idle: null };

export async function logIn(
  ctx: AgentCtx,
  { token, username, session_type: sessionType }: z.output<typeof LoginBody>,
): Promise<LoggedInResult> {
  const agent = await agentOf(ctx, token);
  const session_id = await beginSession(ctx, agent, { username, sessionType });
  const { client_ip: ip, client_host: hostname } = agent.workplace;
  return { ip, hostname, ...unlimited, session_id };
}

export async function logOut(
  ctx: AgentCtx,
  { token, session_id: sessionId, username }: z.output<typeof LogoutBody>,
): Promise<'ok'> {
  await endSession(ctx, await agentOf(ctx, token), { sessionId, username });
  return 'ok';
}

export const notify = (
  ctx: AgentCtx,
  { action, token, username }: z.output<typeof NotifyQuery>,
): Promise<LoggedInResult | 'ok'> =>
  action === 'login'
    ? logIn(ctx, { token, username, session_type: undefined })
    : logOut(ctx, { token, username, session_id: undefined, session_type: undefined });
