import { createSigningKeys, type SigningKeys } from '../../access/signing-keys.ts';
import type { HttpDeps } from '../../http/context.ts';
import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';
import type { KindParts } from '../../remotes/dispatcher/port.ts';
import { createLoginGuard } from '../../sites/calls/login-guard.ts';
import { baseDeps, type FleetRuntimeParts } from '../deps.ts';
import type { RequiredVariable } from './config.ts';

/**
 * The dependencies of modules that call dispatchers. In a separate file, so that other bundles do not contain `jose`.
 * @param create the client of dispatchers: with all calls, or with those that the module makes
 */
export async function fleetDeps<Dispatchers>(
  parts: FleetRuntimeParts,
  create: (parts: KindParts) => Dispatchers,
): Promise<HttpDeps & { dispatchers: Dispatchers; signingKeys: SigningKeys; singleFlight?: SingleFlight }> {
  const signingKeys = await createSigningKeys(parts.signingKeys, parts.baseUrl);
  const deps = await baseDeps(parts);
  const { dispatcherTransport: transport } = parts;
  return {
    ...deps,
    dispatchers: create({ transport, signer: signingKeys, logins: createLoginGuard(deps) }),
    signingKeys,
    ...(parts.singleFlight && { singleFlight: parts.singleFlight }),
  };
}

export const fleetVariables: readonly RequiredVariable[] = ['AGGREGATOR_JWT_SSL_KEY'];
