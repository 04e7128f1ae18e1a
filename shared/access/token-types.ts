/**
 * The header `typ` of every JWT of the product (RFC 8725, section 3.11). One key signs tokens for different recipients, so
 * that a token for one purpose is refused wherever another purpose is expected.
 */
export const tokenTypes = {
  /** From us to a dispatcher: `aud` is the name of the node. */
  dispatcher: 'dispatcher+jwt',
  /** From a peer aggregator to us: `aud` is our `BASE_URL`. */
  peer: 'peer+jwt',
  /** From a portal to us: `aud` is the address of the heartbeat operation. */
  heartbeat: 'heartbeat+jwt',
} as const;

export type TokenType = (typeof tokenTypes)[keyof typeof tokenTypes];
