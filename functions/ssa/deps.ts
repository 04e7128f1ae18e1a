import type { AgentDeps } from '../../shared/fleet/agents/calls.ts';
import type { Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type SsaDeps = AgentDeps;
export type SsaCtx = Ctx<SsaDeps>;

export const ssaDeps = async (given: Ingredients): Promise<SsaDeps> => ({
  ...(await baseDeps(given)),
  ...(given.wakes && { wakes: given.wakes }),
});

export const endpoint = endpointIn<SsaDeps>();
export const base = '/api/ssa/v7.0';
