import type { Ctx } from '../../shared/context/context.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';

export type WsproxyDeps = HttpDeps;
export type WsproxyCtx = Ctx<WsproxyDeps>;

export const wsproxyDeps = (parts: RuntimeParts): Promise<WsproxyDeps> => baseDeps(parts);

export const endpoint = endpointIn<WsproxyDeps>();
export const base = '/api/wsproxy/v7.0';
