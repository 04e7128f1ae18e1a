import { agentErrors, Done } from '../../../shared/agents/calls.ts';
import { agentOf, sessionAgentOf } from '../../../shared/agents/credentials.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { inResultForm } from '../../../shared/http/serve/result-form.ts';
import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import { base, endpoint, type SsaDeps } from '../deps.ts';
import { EventsBody, LoginBody, NoMembers, RegisterBody, Registered } from './schema.ts';
import { begin, end, note, register, writeEvents } from './usecases.ts';

const errors: readonly ErrorCode[] = [...agentErrors, 'unauthenticated'];
const description = 'Send the token from `register` as `Authorization: Bearer`.';
const own = {
  access: 'public',
  credential: { in: 'header', prove: (ctx: RequestCtx<SsaDeps>) => sessionAgentOf(ctx, ctx.bearer) },
  rateLimit: 'failures',
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
      summary: 'Register a session agent',
      description: 'A previous registration for the same session is revoked.',
      body: { required: RegisterBody },
      credential: { in: 'input', prove: (ctx: RequestCtx<SsaDeps>, sent) => agentOf(ctx, sent.body.token) },
      rateLimit: 'failures',
      returns: [200, Registered],
      errors: agentErrors,
    },
    async (ctx, { body }) => inResultForm(await register(ctx, body), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.ping',
      route: `POST ${base}/ping`,
      summary: 'Report a session agent heartbeat',
      body: { optional: NoMembers },
      ...own,
    },
    async (ctx) => inResultForm(await note(ctx), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.login',
      route: `POST ${base}/login`,
      summary: 'Report the start of a session',
      body: { required: LoginBody },
      ...own,
    },
    async (ctx, { body }) => inResultForm(await begin(ctx, body), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.logout',
      route: `POST ${base}/logout`,
      summary: 'Report the end of a session and unregister its agent',
      body: { optional: NoMembers },
      ...own,
    },
    async (ctx) => inResultForm(await end(ctx), ctx.now),
  ),
  endpoint(
    {
      id: 'ssa.events',
      route: `POST ${base}/events`,
      summary: 'Write session events to the monitoring journal',
      body: { required: EventsBody },
      ...own,
    },
    async (ctx, { body }) => inResultForm(await writeEvents(ctx, body), ctx.now),
  ),
];
