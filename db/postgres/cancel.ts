import pg from 'pg';

/** A session of the server as a CancelRequest names it. */
export type Backend = Pick<pg.Client, 'host' | 'port' | 'ssl'> & {
  readonly processID: number | null;
  readonly secretKey: number | null;
};

/** What `pg` has and its declarations lack. */
type CancelConnection = pg.Connection & {
  connect(port: number, host: string): void;
  connect(path: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

const patienceMs = 3_000;

/** Asks the server to end the statement that a session runs. Resolves when the request was sent, or cannot be. */
export function cancelStatement({ host, port, ssl, processID, secretKey }: Backend): Promise<void> {
  if (processID === null || secretKey === null) return Promise.resolve();
  const connection = new pg.Connection({ ssl }) as CancelConnection;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = () => connection.cancel(processID, secretKey);
  connection.on('connect', () => (ssl ? connection.requestSsl() : cancel()));
  connection.on('sslconnect', cancel);
  // The server answers a CancelRequest by closing the connection.
  connection.on('error', resolve);
  connection.on('end', resolve);
  const timer = setTimeout(resolve, patienceMs);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  return promise.finally(() => {
    clearTimeout(timer);
    connection.stream.destroy();
  });
}
