import type { Invocation } from '../shared/http/invocation.ts';
import type { ModuleApp } from '../shared/http/serve/app.ts';
import { withoutTrailingSlashes } from '../shared/kernel/text.ts';
import { moduleOf } from '../shared/modules.ts';
import type { IdentityRuntimeParts } from '../shared/runtime/deps.ts';
import { createAgent } from './agent/app.ts';
import type { AgentDeps } from './agent/deps.ts';
import { createAggregator } from './aggregator/app.ts';
import { type AggregatorDeps, aggregatorDeps } from './aggregator/deps.ts';
import { createAuth } from './auth/app.ts';
import { type AuthDeps, authDeps } from './auth/deps.ts';
import { createClient } from './client/app.ts';
import { type ClientDeps, clientDeps } from './client/deps.ts';
import { createConsole } from './console/app.ts';
import type { ConsoleDeps } from './console/deps.ts';
import { createDiscover } from './discover/app.ts';
import { type DiscoverDeps, discoverDeps } from './discover/deps.ts';
import { createFederation } from './federation/app.ts';
import { type FederationDeps, federationDeps } from './federation/deps.ts';
import { createHome } from './home/app.ts';
import type { HomeDeps } from './home/deps.ts';
import { createSsa } from './ssa/app.ts';
import { type SsaDeps, ssaDeps } from './ssa/deps.ts';
import { createUserinfo } from './userinfo/app.ts';
import type { UserinfoDeps } from './userinfo/deps.ts';
import { createWebui } from './webui/app.ts';
import { type WebuiDeps, webuiDeps } from './webui/deps.ts';
import { createWsproxy } from './wsproxy/app.ts';
import type { WsproxyDeps } from './wsproxy/deps.ts';

export type PortalDeps = AgentDeps &
  AggregatorDeps &
  AuthDeps &
  ClientDeps &
  DiscoverDeps &
  ConsoleDeps &
  FederationDeps &
  HomeDeps &
  SsaDeps &
  UserinfoDeps &
  WebuiDeps &
  WsproxyDeps;

export type Portal = {
  modules: readonly ModuleApp[];
  fetch: (request: Request, invocation: Invocation) => Promise<Response>;
};

/** Serves all modules at one address. Each module has its own app, as on the edge. */
export function createPortal(deps: PortalDeps): Portal {
  const discover = createDiscover(deps);
  const modules = [
    createAuth(deps),
    createFederation(deps),
    createWebui(deps),
    createClient(deps),
    createUserinfo(deps),
    createHome(deps),
    createConsole(deps),
    createAggregator(deps),
    createAgent(deps),
    createSsa(deps),
    createWsproxy(deps),
    discover,
  ];
  const byName = new Map(modules.map((module) => [module.name, module]));
  return {
    modules,
    fetch: (request, invocation) => {
      const facts = moduleOf(withoutTrailingSlashes(new URL(request.url).pathname));
      // The discover module returns 404 for paths outside of all modules.
      return ((facts && byName.get(facts.name)) ?? discover).fetch(request, invocation);
    },
  };
}

/** Inputs from which a process creates its dependencies. */
export type Ingredients = IdentityRuntimeParts;

/**
 * The combined dependencies of all modules. If two modules create the same dependency, the later one is used by
 * both.
 */
export async function portalDeps(parts: Ingredients): Promise<PortalDeps> {
  return {
    ...(await discoverDeps(parts)),
    ...(await ssaDeps(parts)),
    ...(await aggregatorDeps(parts)),
    // A module that uses a part of a dependency comes before those that use all of it: federation connects to no directories,
    // and auth only obtains keys of dispatchers.
    ...(await federationDeps(parts)),
    ...(await authDeps(parts)),
    ...(await clientDeps(parts)),
    ...(await webuiDeps(parts)),
  };
}
