import {
  type LiveToken,
  liveTokensIn,
  type TokenKind,
  type WatchedToken,
} from '../../db/repositories/identity/login/live-principals.ts';
import type { TokenPrincipal } from '../context/principal.ts';
import { type Parameters, parametersFrom } from '../kernel/system-parameters.ts';
import type { PortalType } from '../modules.ts';
import {
  type PeerRow,
  peerPrincipal,
  type ServiceRow,
  servicePrincipal,
  type UserRow,
  userPrincipal,
} from './session.ts';

/** A row of the lookup of its kind, with its digest. */
type Seen = { kind: TokenKind; digest: string; row: Record<string, unknown> };

/**
 * The principals of many tokens, which are looked up again and again in one statement (`liveTokens`). Rows that are
 * unchanged since the last lookup are not sent again.
 */
export class LivePrincipals {
  readonly #portalType: PortalType;
  readonly #seen = new Map<string, Seen>();

  constructor(portalType: PortalType) {
    this.#portalType = portalType;
  }

  /** The arguments of the next lookup. Tokens that are not watched any more are forgotten. */
  watched(tokens: ReadonlyMap<string, TokenKind>): WatchedToken[] {
    for (const hash of this.#seen.keys()) if (!tokens.has(hash)) this.#seen.delete(hash);
    return [...tokens].map(([hash, kind]) => ({ hash, kind, digest: this.#seen.get(hash)?.digest ?? '' }));
  }

  /**
   * @param result of `liveTokens`
   * @returns the principals by the hash of their token, without tokens that are not valid now
   */
  take(watched: readonly WatchedToken[], result: unknown, now: Date): Map<string, TokenPrincipal> {
    const { tokens, parameters: overrides } = liveTokensIn(result);
    const parameters = parametersFrom(overrides);
    const kinds = new Map(watched.map(({ hash, kind }) => [hash, kind]));
    const principals = new Map<string, TokenPrincipal>();
    for (const token of tokens) {
      const seen = this.#update(token, kinds.get(token.hash));
      const principal = seen && this.#principalOf(seen, parameters, now);
      if (principal) principals.set(token.hash, principal);
    }
    return principals;
  }

  #update({ hash, digest, row }: LiveToken, kind: TokenKind | undefined): Seen | undefined {
    if (row && kind) this.#seen.set(hash, { kind, digest, row: revived(row) });
    return this.#seen.get(hash);
  }

  #principalOf({ kind, row }: Seen, parameters: Parameters, now: Date): TokenPrincipal | undefined {
    // The statement returns the columns of these types.
    switch (kind) {
      case 'session':
      case 'page':
        return userPrincipal(row as UserRow, parameters, now);
      case 'service':
        return servicePrincipal(row as ServiceRow, this.#portalType);
      case 'peer':
        return peerPrincipal(row as PeerRow, parameters, now, this.#portalType);
    }
  }
}

/** Times are texts in JSON. They are members of `session` and `token`. */
function revived(row: Record<string, unknown>): Record<string, unknown> {
  const name = 'token' in row ? 'token' : 'session';
  const times = Object.entries(Object(row[name])).map(([member, value]) => [
    member,
    /_(?:at|until)$/.test(member) && typeof value === 'string' ? new Date(value) : value,
  ]);
  return { ...row, [name]: Object.fromEntries(times) };
}
