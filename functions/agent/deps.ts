import type { z } from 'zod';
import { agentErrors, type AgentDeps as BareDeps } from '../../shared/agents/calls.ts';
import {
  type Agent,
  agentOf,
  agentOrRegistrationOf,
  type Registration,
} from '../../shared/agents/credentials.ts';
import type { ClientCtx } from '../../shared/context/context.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn, type Operation, type Shape } from '../../shared/http/declare/operation.ts';
import { inResultForm } from '../../shared/http/serve/result-form.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';

export type AgentDeps = HttpDeps & BareDeps;
/** The context of a call by an authenticated agent. */
export type AgentCtx<P extends Agent | Registration = Agent> = ClientCtx<AgentDeps, P>;

export const agentDeps = async (parts: RuntimeParts): Promise<AgentDeps> => ({ ...(await baseDeps(parts)) });

export const endpoint = endpointIn<AgentDeps>();
export const base = '/api/agent/v7.0';

type Sent = z.ZodType<{ token: string }>;
type Call<B extends Sent, R extends Shape> = {
  name: string;
  summary: string;
  description?: string;
  body: B;
  returns: R;
};

const declared = <B extends Sent, R extends Shape>({ name, body, returns, ...described }: Call<B, R>) =>
  ({
    id: `agent.${name}`,
    route: `POST ${base}/${name}`,
    access: 'public',
    body: { required: body },
    rateLimit: 'failures',
    returns: [200, returns],
    errors: agentErrors,
    ...described,
  }) as const;

type Run<P extends Agent | Registration, B extends Sent> = (
  ctx: AgentCtx<P>,
  body: z.output<B>,
) => Promise<unknown>;

/** A call with an agent token in its body. `run` returns the `result` of the response. */
export const agentCall = <B extends Sent, R extends Shape>(
  call: Call<B, R>,
  run: Run<Agent, B>,
): Operation<AgentDeps> =>
  endpoint(
    {
      ...declared(call),
      credential: { in: 'input', prove: (ctx: ClientCtx<AgentDeps>, sent) => agentOf(ctx, sent.body.token) },
    },
    async (ctx, { body }) => inResultForm(await run(ctx, body), ctx.now),
  );

/** A call with an agent token, or with the registration token of a machine that has no agent yet. */
export const machineCall = <B extends Sent, R extends Shape>(
  call: Call<B, R>,
  run: Run<Agent | Registration, B>,
): Operation<AgentDeps> =>
  endpoint(
    {
      ...declared(call),
      credential: {
        in: 'input',
        prove: (ctx: ClientCtx<AgentDeps>, sent) => agentOrRegistrationOf(ctx, sent.body.token),
      },
    },
    async (ctx, { body }) => inResultForm(await run(ctx, body), ctx.now),
  );
