import { agentErrors, Done } from '../../../shared/agents/calls.ts';
import { agentOf, sessionAgentOf } from '../../../shared/agents/credentials.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { inResultForm } from '../../../shared/http/serve/result-form.ts';
import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import { base, endpoint, type SsaDeps } from '../deps.ts';
import { EventsBody, LoginBody, NoMembers, RegisterBody, Registered } from './schema.ts';
import { begin, end, note, register, writeEvents } from './usecases.ts';

const errors: readonly ErrorCode[] = [...agentErrors, 'unauthenticated'];
const description = 'By `Authorization: Bearer` with the token that `register` gave.';
const own = {
  access: 'public',
  credential: { in: 'header', prove: (ctx: RequestCtx<SsaDeps>) => sessionAgentOf(ctx, ctx.bearer) },
  countsFailures: true,
  returns: [200, Done],
  errors,
  description,
} as const;

export const sessionOperations = [
  endpoint(
    {
      id: 'ssa.register',
      route: `POST ${base}/register`,
      access: 'public',
      summary: 'Register the agent within a workplace session',
      description: 'A former one of the same session ends.',
      body: { required: RegisterBody },
      credential: { in: 'input', prove: (ctx: RequestCtx<SsaDeps>, sent) => agentOf(ctx, sent.body.token) },
      countsFailures: true,
      returns: [200, Registered],
      errors: agentErrors,
    },
    async (ctx, { body }) => inResultForm(await register(ctx, body), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.ping',
      route: `POST ${base}/ping`,
      summary: 'The session agent is alive',
      body: { optional: NoMembers },
      ...own,
    },
    async (ctx) => inResultForm(await note(ctx), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.login',
      route: `POST ${base}/login`,
      summary: 'The session has begun',
      body: { required: LoginBody },
      ...own,
    },
    async (ctx, { body }) => inResultForm(await begin(ctx, body), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.logout',
      route: `POST ${base}/logout`,
      summary: 'The session has ended, and its agent with it',
      body: { optional: NoMembers },
      ...own,
    },
    async (ctx) => inResultForm(await end(ctx), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.events',
      route: `POST ${base}/events`,
      summary: 'What happened in the session, for the monitoring journal',
      body: { required: EventsBody },
      ...own,
    },
    async (ctx, { body }) => inResultForm(await writeEvents(ctx, body), ctx.now),
  ),
];
