/** Version of the API, used in paths, documents, health and metrics. */
export const version = '7.0';

/** Version of the software. */
export const build = '7.0.0';

/** The node that serves the request. */
export type Host = {
  /** `PORTAL_NAME`. */
  name: string;
  runtime: 'node' | 'workers' | 'lambda';
  os: string;
  startedAt: Date;
};
