import type { z } from 'zod';
import { beginSession, endSession } from '../../../shared/agents/sessions.ts';
import type { AgentCtx } from '../deps.ts';
import type { LoggedInResult, LoginBody, LogoutBody, NotifyQuery } from './schema.ts';

/** The portal sets no session limits; the dispatcher does. */
const unlimited = { dead_line: null, deadline: null, max_idle: null };

export async function logIn(
  ctx: AgentCtx,
  { username, session_type: sessionType }: Pick<z.output<typeof LoginBody>, 'username' | 'session_type'>,
): Promise<LoggedInResult> {
  const { principal: agent } = ctx;
  const session_id = await beginSession(ctx, agent, { username, sessionType });
  const { client_ip: ip, client_host: hostname } = agent.workplace;
  return { ip, hostname, ...unlimited, session_id };
}

export async function logOut(
  ctx: AgentCtx,
  { session_id: sessionId, username }: Pick<z.output<typeof LogoutBody>, 'session_id' | 'username'>,
): Promise<'ok'> {
  await endSession(ctx, ctx.principal, { sessionId, username });
  return 'ok';
}

export const notify = (
  ctx: AgentCtx,
  { action, username }: z.output<typeof NotifyQuery>,
): Promise<LoggedInResult | 'ok'> =>
  action === 'login'
    ? logIn(ctx, { username, session_type: undefined })
    : logOut(ctx, { username, session_id: undefined });
