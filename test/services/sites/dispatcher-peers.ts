import 'reflect-metadata';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import * as x509 from '@peculiar/x509';

/** PEM texts as `node:tls` takes them. */
export type Identity = { cert: string; key: string };

export type Authority = {
  ca: string;
  /** A certificate for these names and addresses, valid from and until this many days from now. */
  issue(options?: { names?: string[]; fromDay?: number; toDay?: number }): Promise<Identity>;
};

export type Peer = {
  port: number;
  url: string;
  /** TCP connections accepted so far. */
  connections: () => number;
  close: () => Promise<void>;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 86_400_000;
const fromNow = (days: number) => new Date(Date.now() + days * day);
const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const serial = () => `01${crypto.randomUUID().replaceAll('-', '')}`;

export async function createAuthority(name: string): Promise<Authority> {
  const keys = await makeKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: fromNow(-400),
    notAfter: fromNow(400),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    ca: ca.toString('pem'),
    issue: ({ names = ['127.0.0.1', 'localhost', 'node.example'], fromDay = -1, toDay = 30 } = {}) =>
      issue({ issuer: ca.subject, signingKey: keys.privateKey, names, fromDay, toDay }),
  };
}

/** A self-signed certificate. */
export const selfSigned = (): Promise<Identity> =>
  issue({ issuer: 'CN=127.0.0.1', names: ['127.0.0.1'], fromDay: -1, toDay: 30 });

type Issue = { issuer: string; signingKey?: CryptoKey; names: string[]; fromDay: number; toDay: number };

async function issue({ issuer, signingKey, names, fromDay, toDay }: Issue): Promise<Identity> {
  const keys = await makeKeys();
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0]}`,
    issuer,
    publicKey: keys.publicKey,
    signingKey: signingKey ?? keys.privateKey,
    signingAlgorithm: algorithm,
    notBefore: fromNow(fromDay),
    notAfter: fromNow(toDay),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map(alternativeName)),
    ],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: leaf.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
}

const alternativeName = (value: string) =>
  /^[\d.]+$/.test(value) ? ({ type: 'ip', value } as const) : ({ type: 'dns', value } as const);

/** An HTTPS server on a free port of 127.0.0.1. */
export const serveHttps = (identity: Identity, listener: RequestListener): Promise<Peer> =>
  listen(createServer({ ...identity, maxHeaderSize: 1 << 20 }, listener));

/** A TCP server that only accepts and runs the given function. */
export const serveTcp = (onSocket: (socket: Socket) => void): Promise<Peer> =>
  listen(createTcpServer(onSocket));

async function listen(server: Server): Promise<Peer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    connections: () => connections,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}
