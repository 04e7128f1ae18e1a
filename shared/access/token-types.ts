/**
 * The header `typ` of every JWT of the product (RFC 8725, section 3.11). One key signs tokens for different recipients;
 * the header ensures that a token for one purpose is rejected for any other purpose.
 */
export const tokenTypes = {
  /** From this portal to a dispatcher. `aud` is the name of the node. */
  dispatcher: 'dispatcher+jwt',
  /** From a peer aggregator to this portal. `aud` is the `BASE_URL` of this portal. */
  peer: 'peer+jwt',
  /** Heartbeat of a portal, sent to this portal. `aud` is the address of the heartbeat operation. */
  heartbeat: 'heartbeat+jwt',
} as const;

export type TokenType = (typeof tokenTypes)[keyof typeof tokenTypes];
