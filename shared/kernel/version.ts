/** Of the interface: paths, documents, health and metrics carry it. */
export const version = '7.0';

/** Of the software. */
export const build = '7.0.0';

/** The node that answers, as it tells of itself. */
export type Host = {
  /** `PORTAL_NAME`. */
  name: string;
  runtime: 'node' | 'workers' | 'lambda';
  os: string;
  startedAt: Date;
};
