import { connect, createServer, type Socket } from 'node:net';
import { createMessageReader } from './ldap-messages.ts';

export type LdapWire = {
  url: string;
  /** Requests of clients in their order, of all connections. */
  operations: string[];
  /** The number of connections, in all and at most concurrently. */
  connections(): number;
  most(): number;
  /** The current number. */
  open(): number;
  /** Closes the current connections. */
  cutAll(): void;
  close(): Promise<void>;
};

/** A proxy in front of a plain-text directory; it records every request. */
export async function startLdapWire(targetUrl: string): Promise<LdapWire> {
  const target = new URL(targetUrl);
  const operations: string[] = [];
  const open = new Set<Socket>();
  let made = 0;
  let most = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 389), target.hostname);
    made += 1;
    open.add(near);
    most = Math.max(most, open.size);
    const read = createMessageReader(({ operation }) => operations.push(operation));
    near.on('data', read).pipe(far);
    far.pipe(near);
    near.on('error', () => far.destroy()).once('close', () => open.delete(near) && far.destroy());
    far.on('error', () => near.destroy()).once('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `ldap://127.0.0.1:${port}`,
    operations,
    connections: () => made,
    most: () => most,
    open: () => open.size,
    cutAll,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cutAll();
      }),
  };
}
