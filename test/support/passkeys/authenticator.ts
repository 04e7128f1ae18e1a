import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import type { Json } from '../portal.ts';
import { cbor } from './cbor.ts';
import { type KeyPair, keyPair } from './keys.ts';

/** Everything that a forged response can have different from a genuine one. */
export type Forgery = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  /** User present, user verified, backup eligible, backed up. */
  flags?: { up?: boolean; uv?: boolean; be?: boolean; bs?: boolean };
  counter?: number;
  userHandle?: string | null;
  signer?: KeyPair;
  alg?: -7 | -8 | -257 | -35;
  /** Attestation format, with an empty statement, or with a certificate. */
  fmt?: string;
  x5c?: boolean;
  /** Another authenticator with the same credential id. */
  credential?: Credential;
};

/** One credential in an authenticator. */
export type Credential = {
  id: string;
  rpId: string;
  userHandle: string;
  keys: KeyPair;
  counter: number;
};

const genuine = { up: true, uv: true, be: true, bs: true };
const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
const encode = (data: Uint8Array | string): string => Buffer.from(data).toString('base64url');

/**
 * An authenticator in software. It creates the responses that `navigator.credentials` returns in a page of `origin`.
 * @param counts false for an authenticator that always sends 0, like those of password managers
 */
export function softwareAuthenticator(origin: string, counts = true) {
  const clientData = (type: string, challenge: string, forged: Forgery): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: forged.type ?? type,
        challenge: forged.challenge ?? challenge,
        origin: forged.origin ?? origin,
        crossOrigin: forged.crossOrigin ?? false,
      }),
    );

  /** The response to creation options. */
  const create = (options: Json, forged: Forgery = {}): { credential: Credential; response: Json } => {
    const keys = keyPair(forged.alg ?? -7);
    const id = forged.credential ? Buffer.from(forged.credential.id, 'base64url') : randomBytes(16);
    const counter = forged.counter ?? (counts ? 1 : 0);
    const rpId = forged.rpId ?? options.rp.id;
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const data = authenticatorData(rpId, forged, counter, 0x40);
    const authData = Buffer.concat([data, Buffer.alloc(16), length, id, cbor(keys.cose)]);
    const attestation = cbor(
      new Map<string, never>([
        ['fmt', forged.fmt ?? 'none'],
        ['attStmt', forged.x5c ? new Map([['x5c', Buffer.from([0x30])]]) : new Map()],
        ['authData', authData],
      ] as never),
    );
    const clientDataJSON = clientData('webauthn.create', options.challenge, forged);
    return {
      credential: { id: encode(id), rpId, userHandle: options.user.id, keys, counter },
      response: {
        ...{ id: encode(id), rawId: encode(id), type: 'public-key' },
        response: {
          clientDataJSON: encode(clientDataJSON),
          attestationObject: encode(attestation),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      },
    };
  };

  /** The response to request options. The counter of the credential goes up, unless it is forged. */
  const get = (credential: Credential, options: Json, forged: Forgery = {}): Json => {
    if (forged.counter === undefined && counts) credential.counter += 1;
    const counter = forged.counter ?? credential.counter;
    const data = authenticatorData(forged.rpId ?? credential.rpId, forged, counter, 0);
    const clientDataJSON = clientData('webauthn.get', options.challenge, forged);
    const signer = forged.signer ?? credential.keys;
    const userHandle = forged.userHandle === undefined ? credential.userHandle : forged.userHandle;
    return {
      ...{ id: credential.id, rawId: credential.id, type: 'public-key' },
      response: {
        clientDataJSON: encode(clientDataJSON),
        authenticatorData: encode(data),
        signature: encode(signer.sign(Buffer.concat([data, sha256(clientDataJSON)]))),
        ...(userHandle !== null && { userHandle }),
      },
      clientExtensionResults: {},
    };
  };

  return { create, get };
}

export type SoftwareAuthenticator = ReturnType<typeof softwareAuthenticator>;

function authenticatorData(rpId: string, { flags }: Forgery, counter: number, further: number): Buffer {
  const { up, uv, be, bs } = { ...genuine, ...flags };
  const bits = (up ? 1 : 0) | (uv ? 4 : 0) | (be ? 8 : 0) | (bs ? 16 : 0) | further;
  const tail = Buffer.alloc(5);
  tail.writeUInt8(bits, 0);
  tail.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), tail]);
}
