import pg from 'pg';

/** A server session, as identified in a CancelRequest. */
export type Backend = Pick<pg.Client, 'host' | 'port' | 'ssl'> & {
  readonly processID: number | null;
  readonly secretKey: number | null;
};

/** Members of `pg.Connection` that are missing in its type declarations. */
type CancelConnection = pg.Connection & {
  connect(port: number, host: string): void;
  connect(path: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

const patienceMs = 3_000;

/** Sends a CancelRequest for the running statement of a session. Resolves when it was sent or has failed. */
export function cancelStatement({ host, port, ssl, processID, secretKey }: Backend): Promise<void> {
  if (processID === null || secretKey === null) return Promise.resolve();
  const connection = new pg.Connection({ ssl }) as CancelConnection;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = () => connection.cancel(processID, secretKey);
  connection.on('connect', () => (ssl ? connection.requestSsl() : cancel()));
  connection.on('sslconnect', cancel);
  // The server closes the connection in response to a CancelRequest.
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
