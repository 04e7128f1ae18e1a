import { X509Certificate } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { bareHost } from '../../kernel/addresses/hosts.ts';
import { isAddressAllowed, type Network } from '../http/address-policy.ts';
import { withinDeadline } from '../http/deadline.ts';
import { tlsReasonOf } from '../http/faults.ts';
import {
  type Examination,
  type ExaminationOptions,
  type TlsReason,
  TransportError,
} from '../http/transport.ts';
import { addressesOf, type Lookup, openTls, pinnedLookup, secured } from '../tls/node.ts';
import { describeCertificate } from './presented-certificate.ts';

/** @property ca PEM of the authorities in place of the public ones */
export type ExaminedServer = {
  url: URL;
  ca: string | undefined;
  lookup: Lookup;
  networks: readonly Network[];
};

/**
 * Resolves the name, connects to an allowed address and completes the handshake with any certificate. A failure is a
 * result. It does not contain its cause, because a caller may name any address.
 */
export async function examineServer(
  server: ExaminedServer,
  { deadlineMs, signal: outer }: ExaminationOptions,
): Promise<Examination> {
  const start = performance.now();
  const host = bareHost(server.url.hostname);
  const nothing = { addresses: [], lookupMs: 0, tls: null };
  const within = <T>(work: (signal: AbortSignal) => Promise<T>) =>
    withinDeadline(start + deadlineMs - performance.now(), outer, work).catch(() => undefined);
  const found = await within(() => resolve(server.lookup, host));
  const lookupMs = Math.round(performance.now() - start);
  if (!found) return { ...nothing, failed: 'lookup', lookupMs };
  const allowed = found.filter(({ address }) => isAddressAllowed(address, server.networks));
  const addresses = allowed.map(({ address }) => address);
  if (allowed.length === 0) return { ...nothing, failed: 'address', lookupMs };
  const tls = await within((signal) => handshake(server, host, allowed, signal));
  return { failed: tls ? null : 'connection', addresses, lookupMs, tls: tls ?? null };
}

function resolve(lookup: Lookup, host: string): Promise<LookupAddress[]> {
  if (isIP(host)) return Promise.resolve([{ address: host, family: isIP(host) }]);
  return new Promise((done, reject) => {
    lookup(host, { all: true }, (error, found) => (error ? reject(error) : done(addressesOf(found))));
  });
}

/** Connects to the addresses that were checked, and to no others. */
async function handshake(
  { url, ca, networks }: ExaminedServer,
  host: string,
  addresses: LookupAddress[],
  signal: AbortSignal,
): Promise<NonNullable<Examination['tls']>> {
  const lookup = pinnedLookup((_name, _options, callback) => callback(null, addresses), networks);
  const socket = openTls({ url, ca, rejectUnauthorized: false, lookup });
  signal.addEventListener('abort', () => socket.destroy(new TransportError('timeout')), { once: true });
  try {
    await secured(socket);
    const chain = presentedChain(socket);
    const protocol = socket.getProtocol() ?? '';
    return { protocol, chain: chain.map(describeCertificate), faults: faultsOf(socket, chain, host) };
  } finally {
    socket.destroy();
  }
}

/** A server can send any number of certificates. */
const mostCertificates = 8;

/** The certificates of the peer, its own one first, each issued by the next. */
function presentedChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let link = socket.getPeerCertificate(true);
  while (link?.raw && chain.length < mostCertificates) {
    chain.push(new X509Certificate(link.raw));
    // The issuer of a self-signed certificate is the certificate itself.
    if (link.issuerCertificate === link || link.issuerCertificate?.fingerprint256 === link.fingerprint256)
      break;
    link = link.issuerCertificate;
  }
  return chain;
}

/** True if the certificate is valid for a host name or a literal address. */
const isFor = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host.replace(/\.$/, ''))) !== undefined;

/** All reasons why the certificate is not accepted. OpenSSL reports only one of them. */
function faultsOf(socket: TLSSocket, [own]: readonly X509Certificate[], host: string): TlsReason[] {
  if (!own) return ['unknown'];
  const now = Date.now();
  const { authorizationError } = socket;
  const code = authorizationError instanceof Error ? codeOf(authorizationError) : authorizationError;
  const faults: (TlsReason | false)[] = [
    Boolean(code) && tlsReasonOf(String(code)),
    now > Date.parse(own.validTo) && 'expired',
    now < Date.parse(own.validFrom) && 'not_yet_valid',
    !isFor(own, host) && 'wrong_name',
  ];
  return [...new Set(faults.filter((fault) => fault !== false))];
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message);
