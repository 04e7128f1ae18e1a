import type { AgentDeps } from '../../shared/agents/calls.ts';
import type { SessionAgent } from '../../shared/agents/credentials.ts';
import type { Ctx } from '../../shared/context/context.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';

export type SsaDeps = HttpDeps & AgentDeps;
/** The context of a call by an authenticated session agent. */
export type SsaCtx = Ctx<SsaDeps, SessionAgent>;

export const ssaDeps = async (parts: RuntimeParts): Promise<SsaDeps> => ({
  ...(await baseDeps(parts)),
  ...(parts.notifier && { notifier: parts.notifier }),
});

export const endpoint = endpointIn<SsaDeps>();
export const base = '/api/ssa/v7.0';
