import { discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import { RecentMap } from '../../../kernel/concurrency/recent-map.ts';
import { sha256 } from '../../../kernel/crypto/digests.ts';
import { type Call, callOf, requestOptions, sendOf } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import type { Memory, Provider } from '../exchange/memory.ts';
import { memberOf, textOf } from '../login/claims.ts';
import { OidcError } from '../port.ts';
import { isForManyTenants, templateOf } from './issuers.ts';
import { acceptedAlgorithms, assertUsable } from './metadata.ts';

const maxAgeMs = 600_000;
const mostProviders = 100;

export const createProviderCache = (): Memory['providers'] => new RecentMap(mostProviders);

/**
 * The configuration of the provider, at most ten minutes old. Concurrent reads share a request where the runtime
 * allows it.
 * @throws OidcError `discovery`, `issuer_mismatch`, `unreachable`, `address_not_allowed`
 */
export async function providerOf(call: Call): Promise<Provider> {
  const { client, memory } = call;
  const id = sha256(JSON.stringify([client.issuer, client.discoveryUrl, client.ca]));
  const cached = memory.providers.get(id);
  if (cached && performance.now() - cached.readAt < maxAgeMs) return cached.provider;
  const read = async (): Promise<Provider> => {
    // A shared read does not end with the first of its callers.
    const own = memory.singleFlight ? callOf(memory, client, undefined) : call;
    const provider = { id, ...(await converting('discovery', 'discovery', () => readProvider(own))) };
    memory.providers.set(id, { provider, readAt: performance.now() });
    return provider;
  };
  return memory.singleFlight ? memory.singleFlight(`oidc provider ${id}`, read) : read();
}

async function readProvider(call: Call): Promise<Omit<Provider, 'id'>> {
  const { issuer } = call.client;
  const isTemplate = isForManyTenants(issuer);
  const response = await readConfiguration(call);
  const expected = isTemplate ? templateOf(issuer) : issuer;
  await assertIssuer(response.clone(), expected);
  const document = await processDiscoveryResponse(new URL(expected), response);
  assertUsable(document);
  const algorithms = acceptedAlgorithms(document);
  if (algorithms.length === 0)
    throw new OidcError('discovery', { claim: 'id_token_signing_alg_values_supported' });
  return { metadata: { ...document, id_token_signing_alg_values_supported: algorithms }, isTemplate };
}

/** From the address of the settings, or from the usual one below the issuer. */
async function readConfiguration(call: Call): Promise<Response> {
  const { issuer, discoveryUrl } = call.client;
  if (discoveryUrl === undefined) return discoveryRequest(new URL(issuer), requestOptions(call));
  return sendOf(call)(discoveryUrl, { method: 'GET', headers: { accept: 'application/json' } });
}

/**
 * Compares the issuer before the library does, whose error does not name the other one.
 * @throws OidcError `issuer_mismatch` with both
 */
async function assertIssuer(response: Response, expected: string): Promise<void> {
  const document: unknown =
    response.status === 200 ? await response.json().catch(() => undefined) : undefined;
  const found = textOf(memberOf(document, 'issuer'));
  if (found !== undefined && found !== expected) throw new OidcError('issuer_mismatch', { expected, found });
}
