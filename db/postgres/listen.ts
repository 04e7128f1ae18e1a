import pg from 'pg';
import { connectSession } from './session/session.ts';
import { workChannel } from './work-notice.ts';

/** A connection of its own that receives notifications of work. */
export type NoticeConnection = {
  /** Resolves when the connection has ended, for any reason. */
  ended: Promise<void>;
  close(): void;
};

/**
 * Connects and listens. Lost connections are detected by TCP keepalives of the session.
 * @param onNotice receives the payload of each notification
 * @throws Error if the database cannot be reached
 */
export async function listenForNotices(
  url: string,
  applicationName: string,
  onNotice: (payload: string) => void,
): Promise<NoticeConnection> {
  const client = await connectSession(url, applicationName);
  const { promise, resolve } = Promise.withResolvers<void>();
  client.once('end', () => resolve());
  const close = (): void => {
    client.connection.stream.destroy();
    resolve();
  };
  client.on('notification', ({ payload }) => onNotice(payload ?? ''));
  try {
    await client.query(`listen ${pg.escapeIdentifier(workChannel)}`);
  } catch (error) {
    close();
    throw error;
  }
  return { ended: promise, close };
}
