import { connectPg, type PgConnection, type SessionReport } from '../../../../db/pg.ts';

export type EngineOptions = {
  databaseUrl: string;
  /** False if another sidecar can be the leader. */
  isLeader(): boolean;
  /** `DATABASE_PREPARE`. */
  prepares?: boolean | undefined;
  onSession?: ((report: SessionReport) => void) | undefined;
  /** Called after each statement. */
  onStatement?: (() => void) | undefined;
};

/** The database interface that the job queue engine (pg-boss) expects. */
export type EngineDatabase = {
  executeSql(text: string, values?: unknown[]): ReturnType<PgConnection['query']>;
  close(): Promise<void>;
};

/** Thrown instead of running a statement of the engine, because this sidecar is not the leader. */
export class NotLeader extends Error {}

/**
 * Runs the statements of the engine. The lease is checked before each statement, so that a process that was paused
 * can neither take a job nor write the result of one.
 */
export function connectEngine({
  databaseUrl,
  isLeader,
  prepares,
  onSession,
  onStatement,
}: EngineOptions): EngineDatabase {
  const connection = connectPg({
    url: databaseUrl,
    applicationName: 'aggregator-queue',
    maxConnections: 4,
    statementTimeoutMs: 60_000,
    ...(prepares !== undefined && { prepares }),
    ...(onSession && { onSession }),
  });
  return {
    executeSql: async (text, values) => {
      if (!isLeader()) throw new NotLeader('the job queue is owned by another sidecar');
      // A transaction of the engine is one text that starts with BEGIN; it gets the same time limits as other
      // transactions.
      const answer = opening.test(text)
        ? connection.use(({ query, begin }) => query({ text: text.replace(opening, `${begin};`) }, values))
        : connection.query({ text }, values);
      return answer.finally(onStatement);
    },
    close: connection.close,
  };
}

const opening = /^\s*BEGIN;/;
