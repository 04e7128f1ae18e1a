import {
  errors,
  type FlattenedJWSInput,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWSHeaderParameters,
} from 'jose';
import { Agent, request } from 'undici';

/** Source of the portal's public keys: an https URL, or a function that returns them. */
export type JwksSource = string | (() => Promise<JSONWebKeySet>);

export type PortalKeys = {
  /** For `jwtVerify`. @throws when the portal does not answer, or has no such key */
  find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey | Uint8Array>;
  close(): Promise<void>;
};

/**
 * Caches the keys and fetches them again only for an unknown `kid`, because keys rotate.
 * @param portalCa PEM of the authority that signed the portal's certificate
 */
export function createPortalKeys(source: JwksSource, portalCa?: string): PortalKeys {
  const agent = new Agent({ connect: portalCa === undefined ? {} : { ca: portalCa } });
  const load = typeof source === 'string' ? () => fetchKeys(source, agent) : source;
  let keys = new Map<string | undefined, JWK>();
  let loading: Promise<void> | undefined;

  const reload = async (): Promise<void> => {
    const loaded = await load();
    keys = new Map(loaded.keys.map((key) => [key.kid, key]));
  };
  const reloadOnce = (): Promise<void> => {
    loading ??= reload().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    find: async ({ kid, alg }) => {
      if (!keys.has(kid)) await reloadOnce();
      const key = keys.get(kid);
      if (!key) throw new errors.JWKSNoMatchingKey();
      return importJWK(key, key.alg ?? alg);
    },
    close: () => agent.destroy(),
  };
}

/** The portal is unreachable, which is not an error of the token. */
export class KeysUnavailable extends Error {}

async function fetchKeys(url: string, agent: Agent): Promise<JSONWebKeySet> {
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headersTimeout: 5_000,
      bodyTimeout: 5_000,
    });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return JSON.parse(answer);
  } catch (cause) {
    throw new KeysUnavailable(`no keys from ${url}`, { cause });
  }
}
