import type { Connection } from '../../../shared/remotes/dispatcher/connections.ts';

/** A connection as the caller gets it; the way leads through the gateway where there is one. */
export type Offered = Connection & {
  gateway?: { host: string; port: number; ticket: string } | undefined;
};

/** Neither file format can say a line end, or anything else that is no character to be seen, within a value. */
export const asOneLine = (value: string): string =>
  value.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').toWellFormed();

/** A host as it stands before a port. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
