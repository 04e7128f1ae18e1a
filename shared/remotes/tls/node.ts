import dns, { type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { bareHost } from '../../kernel/addresses/hosts.ts';
import { isAddressAllowed, type Network } from '../http/address-policy.ts';
import { type CertificateFacts, TransportError } from '../http/transport.ts';

export type Lookup = LookupFunction;

/** Parameters of a TLS connection; `ca` is PEM and replaces the public authorities. */
export type Peer = { url: URL; ca: string | undefined; rejectUnauthorized: boolean; lookup: Lookup };

export const systemLookup: Lookup = (name, options, callback) => dns.lookup(name, options, callback);

/**
 * A lookup that returns only allowed addresses. The connection uses exactly these, which prevents DNS rebinding.
 * Literal addresses are not looked up.
 * @param isFit predicate for addresses; default: public, or in one of the networks
 */
export function pinnedLookup(
  lookup: Lookup,
  networks: readonly Network[],
  isFit: typeof isAddressAllowed = isAddressAllowed,
): Lookup {
  return (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = addressesOf(found).filter(({ address }) => isFit(address, networks));
      const [first] = allowed;
      if (!first) return callback(new TransportError('address_not_allowed'), []);
      if (options.all) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
}

/** Starts a connection; the handshake ends with `secureConnect` or `error`. */
export function openTls({ url, ca, rejectUnauthorized, lookup }: Peer, session?: Buffer): TLSSocket {
  const host = bareHost(url.hostname);
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // RFC 6066 section 3: no literal addresses in the server name, and no trailing dot.
    servername: isIP(host) ? '' : host.replace(/\.$/, ''),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized,
    lookup,
    // A trusted certificate need not be that of a root authority: it can be that of the peer itself.
    ...(ca && { ca, allowPartialTrustChain: true }),
    ...(session && { session }),
  });
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

/**
 * Completes the handshake and reads the peer certificate, valid or not; sends no data.
 * @param signal aborts the handshake
 */
export async function readCertificate(
  peer: Omit<Peer, 'rejectUnauthorized'>,
  signal: AbortSignal,
): Promise<CertificateFacts> {
  const socket = openTls({ ...peer, rejectUnauthorized: false });
  signal.addEventListener('abort', () => socket.destroy(new TransportError('timeout')), { once: true });
  try {
    await secured(socket);
    return shownCertificate(socket);
  } finally {
    socket.destroy();
  }
}

export const addressesOf = (found: string | LookupAddress[]): LookupAddress[] =>
  typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;

export const secured = (socket: TLSSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve).on('error', reject);
  });

function shownCertificate(socket: TLSSocket): CertificateFacts {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new TransportError('tls', { tlsReason: 'unknown' });
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    not_before: new Date(certificate.validFrom).toISOString(),
    not_after: new Date(certificate.validTo).toISOString(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** Node separates the attributes of distinguished names by line feeds. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ');
