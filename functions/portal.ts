import type { Db } from '../db/client.ts';
import { createSigningKeys } from '../shared/access/signing-keys.ts';
import type { ModuleApp } from '../shared/http/app.ts';
import type { Log } from '../shared/http/context.ts';
import type { Invocation } from '../shared/http/invocation.ts';
import { createHasher } from '../shared/identity/passwords.ts';
import { type Clock, systemClock } from '../shared/kernel/clock.ts';
import { createSealer } from '../shared/kernel/sealing.ts';
import { moduleOf, type PortalType } from '../shared/modules.ts';
import type { DispatcherRemote } from '../shared/remotes/dispatcher/port.ts';
import type { UrlPolicy } from '../shared/remotes/http/address-policy.ts';
import { createAuth } from './auth/app.ts';
import type { AuthDeps } from './auth/deps.ts';
import { createClient } from './client/app.ts';
import type { ClientDeps } from './client/deps.ts';
import { createDiscover } from './discover/app.ts';
import type { DiscoverDeps } from './discover/deps.ts';
import { createUserinfo } from './userinfo/app.ts';
import type { UserinfoDeps } from './userinfo/deps.ts';
import { createWebui } from './webui/app.ts';
import type { WebuiDeps } from './webui/deps.ts';

export type PortalDeps = AuthDeps & ClientDeps & DiscoverDeps & UserinfoDeps & WebuiDeps;

export type Portal = {
  modules: readonly ModuleApp[];
  fetch: (request: Request, invocation: Invocation) => Promise<Response>;
};

/** All modules behind one address, each served by its own app as on the edge. */
export function createPortal(deps: PortalDeps): Portal {
  const discover = createDiscover(deps);
  const modules = [createAuth(deps), createWebui(deps), createClient(deps), createUserinfo(deps), discover];
  const byName = new Map(modules.map((module) => [module.name, module]));
  return {
    modules,
    fetch: (request, invocation) => {
      const facts = moduleOf(new URL(request.url).pathname.replace(/(.)\/+$/, '$1'));
      // What belongs to no module is answered by the one that knows them all: 404.
      return ((facts && byName.get(facts.name)) ?? discover).fetch(request, invocation);
    },
  };
}

/** What a process knows before it has dependencies. */
export type Ingredients = {
  db: Db;
  log: Log;
  clock?: Clock;
  portalType: PortalType;
  baseUrl: string;
  secretKeys: readonly string[];
  signingKeys: readonly string[];
  outbound: UrlPolicy;
  dispatchers: DispatcherRemote;
  hashing?: { cost?: number; concurrency?: number };
  checkAnswers?: boolean;
};

export async function portalDeps(given: Ingredients): Promise<PortalDeps> {
  const sealer = await createSealer(given.secretKeys);
  return {
    db: given.db,
    log: given.log,
    clock: given.clock ?? systemClock,
    portalType: given.portalType,
    sealer,
    cursorSealer: await sealer.derive('cursor'),
    signingKeys: await createSigningKeys(given.signingKeys, given.baseUrl),
    outbound: given.outbound,
    allowInsecureDispatchers: given.outbound.allowInsecure,
    dispatchers: given.dispatchers,
    hasher: createHasher(given.hashing),
    checkAnswers: given.checkAnswers ?? false,
  };
}
