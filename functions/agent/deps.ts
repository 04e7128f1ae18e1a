import type { z } from 'zod';
import { type AgentDeps, agentErrors } from '../../shared/fleet/agents/calls.ts';
import type { Ctx } from '../../shared/http/context.ts';
import { endpointIn, type Operation, type Shape } from '../../shared/http/operation.ts';
import { inResultForm } from '../../shared/http/result-form.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type { AgentDeps };
export type AgentCtx = Ctx<AgentDeps>;

export const agentDeps = async (given: Ingredients): Promise<AgentDeps> => ({ ...(await baseDeps(given)) });

export const endpoint = endpointIn<AgentDeps>();
export const base = '/api/agent/v7.0';

type Call<B extends Shape, R extends Shape> = {
  name: string;
  summary: string;
  description?: string;
  body: B;
  returns: R;
};

/** A call that an agent makes with a token in its body; `run` gives the `result` of the answer. */
export const agentCall = <B extends Shape, R extends Shape>(
  { name, body, returns, ...told }: Call<B, R>,
  run: (ctx: AgentCtx, body: z.output<B>) => Promise<unknown>,
): Operation<AgentDeps> =>
  endpoint(
    {
      id: `agent.${name}`,
      route: `POST ${base}/${name}`,
      access: 'public',
      body: { required: body },
      hasOwnCredential: true,
      countsFailures: true,
      returns: [200, returns],
      errors: agentErrors,
      ...told,
    },
    async (ctx, input) => inResultForm(await run(ctx, input.body), ctx.now),
  );
