import { agentErrors, Done } from '../../../shared/agents/calls.ts';
import { agentOf } from '../../../shared/agents/credentials.ts';
import type { ClientCtx } from '../../../shared/context/context.ts';
import { inResultForm } from '../../../shared/http/serve/result-form.ts';
import { type AgentDeps, agentCall, base, endpoint } from '../deps.ts';
import { LoggedIn, LoginBody, LogoutBody, Notified, NotifyQuery } from './schema.ts';
import { logIn, logOut, notify } from './usecases.ts';

export const sessionOperations = [
  agentCall(
    {
      name: 'login',
      summary: 'Report a user login at the workplace',
      description: 'The session appears in the snapshot immediately.',
      body: LoginBody,
      returns: LoggedIn,
    },
    logIn,
  ),
  agentCall(
    {
      name: 'logout',
      summary: 'Report a user logout at the workplace',
      description:
        'The session is found by its identifier or by the login name of its user. It is removed from the snapshot immediately.',
      body: LogoutBody,
      returns: Done,
    },
    logOut,
  ),
  endpoint(
    {
      id: 'agent.notify',
      route: `GET ${base}/notify`,
      access: 'public',
      begins: true,
      summary: 'Report a user login or logout with a GET request',
      query: NotifyQuery,
      credential: { in: 'input', prove: (ctx: ClientCtx<AgentDeps>, { query }) => agentOf(ctx, query.token) },
      returns: [200, Notified],
      errors: agentErrors,
    },
    async (ctx, { query }) => inResultForm(await notify(ctx, query), ctx.now),
  ),
];
