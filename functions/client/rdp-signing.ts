import { Buffer } from 'node:buffer';
import { ConfigError } from '../../shared/kernel/config-error.ts';
import {
  contextTag,
  expectTag,
  explicit,
  integer,
  octets,
  oid,
  readAll,
  readOne,
  sequence,
  set,
  tags,
  tlv,
} from '../../shared/kernel/crypto/der.ts';
import type { RdpSigning } from '../../shared/runtime/config/rdp-signing.ts';

/** Signs bytes. Returns a detached CMS SignedData (RFC 5652) in DER with the certificate chain. */
export type SignDetached = (content: Uint8Array) => Promise<Uint8Array>;

/**
 * Creates the signer of `.rdp` files: SHA-256 with RSA and no signed attributes, as in `rdpsign`.
 * @param given PEM: the certificate followed by the certificates of its issuers, and the private key of the certificate
 * @throws ConfigError if the key is not an RSA key or does not match the certificate
 */
export async function createRdpSigner({ certificates, key }: RdpSigning): Promise<SignDetached> {
  const chain = blocksOf(certificates).map(({ der }) => der);
  const privateKey = await importKey(key);
  const own = readCertificate(chain[0]);
  await assertPair(privateKey, own.publicKey);
  return async (content) => {
    const signature = await crypto.subtle.sign(algorithm, privateKey, Uint8Array.from(content));
    return signedData(own, chain, Buffer.from(signature));
  };
}

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const rsa = sequence(oid('1.2.840.113549.1.1.1'), Buffer.from([5, 0]));
const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'));
const contentTypes = { data: oid('1.2.840.113549.1.7.1'), signedData: oid('1.2.840.113549.1.7.2') };

type Certificate = Record<'serial' | 'issuer' | 'publicKey', Uint8Array>;

function signedData(own: Certificate, chain: readonly Uint8Array[], signature: Uint8Array): Uint8Array {
  const signer = sequence(integer(1), sequence(own.issuer, own.serial), sha256, rsa, octets(signature));
  const certificates = tlv(contextTag(0), ...[...chain].sort(Buffer.compare));
  const content = sequence(contentTypes.data);
  const body = sequence(integer(1), set(sha256), content, certificates, set(signer));
  return sequence(contentTypes.signedData, explicit(0, body));
}

type Block = { label: string; der: Uint8Array };

const blocksOf = (pem: string): Block[] =>
  [...pem.matchAll(/-----BEGIN ([A-Z ]+)-----([^-]*)-----END/g)].map(([, label = '', base64 = '']) => ({
    label,
    der: Buffer.from(base64, 'base64'),
  }));

async function importKey(pem: string): Promise<CryptoKey> {
  const [block] = blocksOf(pem);
  try {
    const pkcs8 = Uint8Array.from(block ? asPkcs8(block) : []);
    return await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  } catch (cause) {
    throw new ConfigError(['RDP_SIGNING_KEY: an RSA key that is not encrypted'], { cause });
  }
}

/** Converts a PKCS 1 key to PKCS 8 by adding its header (RFC 5208, section 5). */
const asPkcs8 = ({ label, der }: Block): Uint8Array =>
  label === 'RSA PRIVATE KEY' ? sequence(integer(0), rsa, octets(der)) : der;

/** Issuer and serial number of the certificate (RFC 5280, 4.1). The version field before them is optional. */
function readCertificate(der: Uint8Array | undefined): Certificate {
  try {
    const [tbs] = readAll(readOne(der ?? new Uint8Array(), tags.sequence).content);
    const fields = readAll(expectTag(tbs, tags.sequence).content);
    const [serial, , issuer, , , publicKey] = fields[0]?.tag === contextTag(0) ? fields.slice(1) : fields;
    return {
      serial: expectTag(serial, tags.integer).raw,
      issuer: expectTag(issuer, tags.sequence).raw,
      publicKey: expectTag(publicKey, tags.sequence).raw,
    };
  } catch (cause) {
    throw new ConfigError(['RDP_SIGNING_CERT: a certificate'], { cause });
  }
}

/**
 * Makes the start fail if the key does not match the certificate. Otherwise clients would report a forged signature.
 */
async function assertPair(privateKey: CryptoKey, publicKey: Uint8Array): Promise<void> {
  const probe = new Uint8Array(1);
  const signature = await crypto.subtle.sign(algorithm, privateKey, probe);
  const isPair = await crypto.subtle
    .importKey('spki', Uint8Array.from(publicKey), algorithm, false, ['verify'])
    .then((imported) => crypto.subtle.verify(algorithm, imported, signature, probe))
    .catch(() => false);
  if (!isPair) throw new ConfigError(['RDP_SIGNING_CERT: the certificate of RDP_SIGNING_KEY']);
}
