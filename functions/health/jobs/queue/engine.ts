import { connectPg, type PgConnection, type SessionReport } from '../../../../db/pg.ts';

export type EngineOptions = {
  databaseUrl: string;
  /** False when another sidecar may be the leader. */
  isLeader(): boolean;
  onSession?: ((report: SessionReport) => void) | undefined;
};

/** The connections of the engine of the queue, as it takes them. */
export type EngineDatabase = {
  executeSql(text: string, values?: unknown[]): ReturnType<PgConnection['query']>;
  close(): Promise<void>;
};

/** A statement of the engine was not sent, because the queue belongs to another sidecar. */
export class NotLeader extends Error {}

/**
 * Runs the statements of the engine. Each is preceded by a look at the lease: a process that was frozen can neither take a
 * job when it wakes nor write how one ended.
 */
export function connectEngine({ databaseUrl, isLeader, onSession }: EngineOptions): EngineDatabase {
  const connection = connectPg({
    url: databaseUrl,
    applicationName: 'aggregator-queue',
    maxConnections: 4,
    statementTimeoutMs: 60_000,
    ...(onSession && { onSession }),
  });
  return {
    executeSql: async (text, values) => {
      if (!isLeader()) throw new NotLeader('the job queue is owned by another sidecar');
      // Its own transactions are one text, and get the limits as others do.
      if (!opening.test(text)) return connection.query({ text }, values);
      return connection.use(({ query, begin }) =>
        query({ text: text.replace(opening, `${begin};`) }, values),
      );
    },
    close: connection.close,
  };
}

const opening = /^\s*BEGIN;/;
