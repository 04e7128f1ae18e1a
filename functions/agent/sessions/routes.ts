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
      summary: 'Somebody has begun to work at the workplace',
      description: 'The session is in the snapshot at once.',
      body: LoginBody,
      returns: LoggedIn,
    },
    logIn,
  ),
  agentCall(
    {
      name: 'logout',
      summary: 'Somebody has ceased to work at the workplace',
      description:
        'By the identifier of the session, or by the name of its user; it leaves the snapshot at once.',
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
      summary: 'The same as `login` and `logout`, by GET',
      query: NotifyQuery,
      credential: { in: 'input', prove: (ctx: ClientCtx<AgentDeps>, { query }) => agentOf(ctx, query.token) },
      returns: [200, Notified],
      errors: agentErrors,
    },
    async (ctx, { query }) => inResultForm(await notify(ctx, query), ctx.now),
  ),
];
