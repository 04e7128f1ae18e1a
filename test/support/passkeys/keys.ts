import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Cbor } from './cbor.ts';

/** A key pair of an authenticator: its COSE key and its signatures. */
export type KeyPair = { cose: Map<number | string, Cbor>; sign: (data: Uint8Array) => Buffer };

type Algorithm = -7 | -8 | -257 | -35;

/** @param alg COSE algorithm: ES256, EdDSA, RS256, or ES384, which the portal does not accept */
export function keyPair(alg: Algorithm): KeyPair {
  switch (alg) {
    case -7:
      return elliptic('P-256', 1, alg, 'sha256');
    case -35:
      return elliptic('P-384', 2, alg, 'sha384');
    case -8: {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const { x } = jwk(publicKey);
      return {
        cose: new Map<number | string, Cbor>([
          [1, 1],
          [3, alg],
          [-1, 6],
          [-2, x],
        ]),
        sign: (data) => sign(null, data, privateKey),
      };
    }
    case -257: {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const { n, e } = jwk(publicKey);
      return {
        cose: new Map<number | string, Cbor>([
          [1, 3],
          [3, alg],
          [-1, n],
          [-2, e],
        ]),
        sign: (data) => sign('sha256', data, privateKey),
      };
    }
  }
}

function elliptic(namedCurve: string, curve: number, alg: number, hash: string): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const { x, y } = jwk(publicKey);
  return {
    cose: new Map<number | string, Cbor>([
      [1, 2],
      [3, alg],
      [-1, curve],
      [-2, x],
      [-3, y],
    ]),
    sign: (data) => sign(hash, data, privateKey),
  };
}

function jwk(key: KeyObject): Record<'x' | 'y' | 'n' | 'e', Buffer> {
  const exported = key.export({ format: 'jwk' });
  const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(exported[name] ?? '', 'base64url');
  return { x: part('x'), y: part('y'), n: part('n'), e: part('e') };
}
