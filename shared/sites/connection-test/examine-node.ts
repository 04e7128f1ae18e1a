import { bareHost } from '../../kernel/addresses/hosts.ts';
import { message, type Text } from '../../messages/message.ts';
import {
  type Examination,
  type TlsReason,
  type Transport,
  TransportError,
} from '../../remotes/http/transport.ts';
import type { TestedNode } from './node-calls.ts';
import type { Protocol } from './steps.ts';

/** Milliseconds for name resolution, connection and handshake. */
const longestMs = 5_000;

type Examined = { tls: Examination['tls']; isUsable: boolean };

/** The steps before the first request. Refused, aborted, timed out and non-TLS connections have one result. */
export async function examineNode(
  transport: Transport,
  { node, protocol, signal }: Pick<TestedNode, 'node' | 'protocol' | 'signal'>,
): Promise<Examined> {
  if (!transport.examine) return skipExamination(protocol);
  const deadlineMs = Math.min(node.timeoutMs, longestMs);
  try {
    const options = { ca: node.caCertificate, deadlineMs, signal };
    const examination = await transport.examine(node.url, options);
    noteReach(protocol, node.url, examination);
    const { tls } = examination;
    return { tls, isUsable: tls !== null && noteCertificate(protocol, tls, node.verifyTls) };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    protocol.skip('lookup', 'literal_address', 'The URL contains an address');
    protocol.fail('address', 'address_not_allowed', addressNotAllowed);
    return { tls: null, isUsable: false };
  }
}

const addressNotAllowed =
  'The address is private or special, and is not in the networks of ALLOWED_PRIVATE_NETWORKS';

function skipExamination(protocol: Protocol): Examined {
  for (const name of ['lookup', 'address', 'connection', 'certificate'] as const)
    protocol.skip(name, 'not_available', 'The platform of the portal has no access to connections');
  return { tls: null, isUsable: true };
}

function noteReach(protocol: Protocol, url: string, examination: Examination): void {
  const { failed, addresses, lookupMs, tls } = examination;
  const host = bareHost(new URL(url).hostname);
  if (failed === 'lookup') {
    protocol.fail('lookup', 'name_not_found', 'The name cannot be resolved', lookupMs);
    return;
  }
  if (addresses.includes(host)) protocol.skip('lookup', 'literal_address', 'The URL contains an address');
  else protocol.pass('lookup', 'The name is known', lookupMs);
  if (failed === 'address') {
    protocol.fail('address', 'address_not_allowed', addressNotAllowed, 0);
    return;
  }
  const shown = addresses.slice(0, mostShown).join(', ');
  protocol.pass('address', message('Allowed: {addresses}', { addresses: shown }), 0);
  if (tls) protocol.pass('connection', message('Encrypted with {protocol}', { protocol: tls.protocol }));
  else protocol.fail('connection', 'no_tls_server', 'No TLS server responds at this address and port');
}

const mostShown = 4;

const sentences: Readonly<Record<TlsReason, Text>> = {
  expired: 'The certificate has expired',
  not_yet_valid: 'The certificate is not valid yet',
  wrong_name: 'The certificate is for other names than the one in the URL',
  self_signed: 'The certificate is issued by the node itself',
  unknown_ca: 'The certificate is issued by an authority that is not trusted',
  unsupported_on_this_runtime: 'The platform of the portal trusts public authorities only',
  unknown: 'The certificate cannot be verified',
};

/** Faults that trust in the certificate does not remedy come first. */
const order: readonly TlsReason[] = [
  'expired',
  'not_yet_valid',
  'wrong_name',
  'unknown',
  'self_signed',
  'unknown_ca',
];

/** @returns true if requests may be sent */
function noteCertificate(
  protocol: Protocol,
  { faults }: NonNullable<Examination['tls']>,
  verifyTls: boolean,
): boolean {
  const fault = order.find((reason) => faults.includes(reason)) ?? faults[0];
  if (fault === undefined) protocol.pass('certificate', 'The certificate is trusted', 0);
  else if (verifyTls) protocol.fail('certificate', fault, sentences[fault], 0);
  else protocol.skip('certificate', 'not_verified', 'Certificates of the node are not verified');
  return fault === undefined || !verifyTls;
}
