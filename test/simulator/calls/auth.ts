import { randomBytes } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Domain } from '../data/rows.ts';
import { Refusal } from '../refusal.ts';
import type { Caller } from './connections.ts';
import { KeysUnavailable, type PortalKeys } from './jwks.ts';

/** The principal of a session key: the aggregator itself, or a user. */
type KeyHolder = { kind: 'service' } | { kind: 'user'; caller: Caller };

export type Authentication = {
  /** jwtauth. @throws Refusal 401, or 503 when the portal's keys cannot be fetched */
  exchange(token: string): Promise<{ result: 'ok'; token: string; expires_in: number }>;
  /** @throws Refusal 401 for a key that is unknown, expired, or of the other kind */
  holder<Kind extends KeyHolder['kind']>(token: string | undefined, kind: Kind): Holder<Kind>;
  /** Ends a session key. @throws Refusal 401 for a key that is unknown or expired */
  logOut(token: string | undefined): KeyHolder;
  expireKeys(): void;
};

export type AuthenticationOptions = {
  /** The name of the node, which is the audience of tokens. */
  name: string;
  issuer: string | undefined;
  domains: readonly Domain[];
  keys: PortalKeys;
  /** The clock of the node. */
  now(): Date;
  /** Whether a user of a domain of the node gets no key. */
  isUnknown(user: string): boolean;
  keyLifetimeS(): number;
};

type Holder<Kind> = Extract<KeyHolder, { kind: Kind }>;

const toleranceS = 30;
const longestLifeS = 600;
const Claims = z.object({
  sub: z.string().min(1),
  jti: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
  auth: z.string().optional(),
  groups: z.array(z.string()).default([]),
  client_ip: z.string().optional(),
});
type Claims = z.infer<typeof Claims>;

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const sessions = new Map<string, { holder: KeyHolder; ends: number }>();
  const usedTokens = new Map<string, number>();

  const useOnce = ({ jti, exp }: Claims): void => {
    if (usedTokens.has(jti)) throw refused('the token was used before');
    usedTokens.set(jti, (exp + toleranceS) * 1000);
    sweep(usedTokens, (ends) => ends, options.now().getTime());
  };
  const exchange: Authentication['exchange'] = async (token) => {
    const claims = readClaims(await verify(token, options));
    const holder = holderOf(claims, options.domains);
    if (holder.kind === 'user' && options.isUnknown(holder.caller.name))
      throw refused('the user is not known here');
    useOnce(claims);
    const key = randomBytes(32).toString('base64url');
    const expires_in = options.keyLifetimeS();
    sweep(sessions, ({ ends }) => ends, Date.now());
    sessions.set(key, { holder, ends: Date.now() + expires_in * 1000 });
    return { result: 'ok', token: key, expires_in };
  };
  return {
    exchange,
    logOut: (token = '') => {
      const session = sessions.get(token);
      if (session === undefined || session.ends <= Date.now())
        throw refused('the session key is not valid here');
      sessions.delete(token);
      return session.holder;
    },
    expireKeys: () => sessions.clear(),
    holder: (token, kind) => {
      const session = sessions.get(token ?? '');
      const isLive = session !== undefined && session.ends > Date.now();
      if (!(isLive && isOfKind(session.holder, kind))) throw refused('the session key is not valid here');
      return session.holder;
    },
  };
}

async function verify(
  token: string,
  { name, issuer, keys, now }: AuthenticationOptions,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      algorithms: ['RS256', 'ES256', 'EdDSA'],
      typ: 'dispatcher+jwt',
      audience: name,
      ...(issuer === undefined ? {} : { issuer }),
      currentDate: now(),
      clockTolerance: toleranceS,
      maxTokenAge: longestLifeS,
    });
    if (payload.aud !== name) throw new Error('the token is made out to others as well');
    return payload;
  } catch (cause) {
    if (cause instanceof KeysUnavailable) throw new Refusal(503, 'keys_unavailable', cause.message);
    throw refused(cause instanceof Error ? cause.message : 'the token is not valid');
  }
}

function readClaims(payload: JWTPayload): Claims {
  const { success, data } = Claims.safeParse(payload);
  if (!success) throw refused('a claim is missing or malformed');
  if (data.exp - data.iat > longestLifeS) throw refused('the token lives too long');
  return data;
}

/** A user may be called `aggregator` too: only a token without a domain stands for the aggregator itself. */
function holderOf({ sub, auth, groups, client_ip }: Claims, domains: readonly Domain[]): KeyHolder {
  if (auth === undefined && sub === 'aggregator') return { kind: 'service' };
  const domain = domains.find(({ authSmallName }) => authSmallName.toLowerCase() === auth?.toLowerCase());
  if (!domain) throw refused('the domain is not known here');
  return { kind: 'user', caller: { domain: domain.authSmallName, name: sub, groups, client_ip } };
}

const isOfKind = <Kind extends KeyHolder['kind']>(holder: KeyHolder, kind: Kind): holder is Holder<Kind> =>
  holder.kind === kind;

const refused = (detail: string): Refusal => new Refusal(401, 'invalid_token', detail);

/** Periodically, not each time: a long benchmark must not pay for a scan of every key. */
function sweep<Value>(map: Map<string, Value>, endOf: (value: Value) => number, now: number): void {
  if (map.size % 1_000 !== 999) return;
  for (const [key, value] of map) if (endOf(value) < now) map.delete(key);
}
