import { z } from 'zod';
import { AppError } from '../../../kernel/errors.ts';
import type { Transport } from '../../http/transport.ts';
import { isUnauthorized } from '../failures.ts';
import type {
  AuthorizeRequest,
  Call,
  Destination,
  DispatcherKeys,
  DispatcherKind,
  IssuedKey,
  KindParts,
} from '../port.ts';
import { personRefused } from '../refusals.ts';
import { Authorization } from './client-shapes.ts';
import { converse } from './exchange.ts';

/** Session keys: a JWT of the portal is exchanged for a key, which is sent as `X-Auth-Token`. */
export const termideskKeys: DispatcherKind<DispatcherKeys> = { create };

function create({ transport, signer }: KindParts): DispatcherKeys {
  return {
    authorize: async ({ principal, now, lifeS, ownKey: _, ...to }) => {
      const authorize = async (one: AuthorizeRequest['principal']): Promise<IssuedKey> =>
        exchangeToken(transport, to, await signer.signFor(to.node.name, claimsOf(one), now, lifeS));
      try {
        return await authorize(principal);
      } catch (error) {
        if (principal.user === null || !isRefused(error)) throw error;
        // The node answers alike if it refuses all tokens of the portal. Then this one is refused as well.
        await authorize({ user: null });
        throw personRefused(to.node, 'unknown');
      }
    },
    logOut: (call) => logOut(transport, call),
  };
}

export const keyed = ({ key, ownKey: _, ...to }: Call) => ({ ...to, credentials: { 'x-auth-token': key } });

const isRefused = (error: unknown): boolean =>
  isUnauthorized(error) ||
  (error instanceof AppError && error.code === 'upstream_refused' && error.members.reason === 'forbidden');

/** The name of the aggregator on nodes. Users with this name are rejected before any call. */
const aggregatorName = 'aggregator';

const claimsOf = ({ user }: AuthorizeRequest['principal']) =>
  user
    ? { sub: user.name, auth: user.domain, groups: user.groups, client_ip: user.clientIp }
    : { sub: aggregatorName };

async function exchangeToken(transport: Transport, to: Destination, jwt: string): Promise<IssuedKey> {
  const path = '/api/auth/v7.0/jwtauth';
  const exchange = {
    ...to,
    method: 'POST',
    path,
    body: { token: jwt },
    credentials: {},
    answer: Authorization,
  } as const;
  const { token, expires_in } = await converse(transport, exchange);
  return { token, expiresInS: expires_in };
}

/** The body of a success is not read. */
async function logOut(transport: Transport, call: Call): Promise<void> {
  const path = '/api/auth/v7.0/logout';
  try {
    await converse(transport, { ...keyed(call), method: 'POST', path, body: {}, answer: z.unknown() });
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
}
