import type { findPeer } from '../../db/repositories/identity/login/peer-sessions.ts';
import { type ClaimedToken, type PeerKey, PeerTokenFault } from '../access/peer-jwt.ts';
import type { BaseDeps, Ctx } from '../context/context.ts';
import type { PeerKeyCache } from '../remotes/peer-keys/peer-key-cache.ts';

type Peer = NonNullable<Awaited<ReturnType<typeof findPeer>>>['peer'];

/**
 * The key of a peer with the `kid` of its token, from the registered keys or the published JWKS.
 * @throws PeerTokenFault `unknown_key`; AppError `upstream_*` if the published keys cannot be read
 */
export async function keyOfPeer(
  { deps, now, upstream }: Ctx<BaseDeps & { peerKeys: PeerKeyCache }>,
  { jwks, jwks_url: url, ca_certificate: ca }: Peer,
  { kid }: ClaimedToken,
): Promise<PeerKey> {
  const key: PeerKey | undefined =
    url === null
      ? jwks?.keys.find((one) => one.kid === kid)
      : await upstream(() => deps.peerKeys.find({ url, ca: ca ?? undefined }, kid, now));
  if (!key) throw new PeerTokenFault('unknown_key');
  return key;
}
