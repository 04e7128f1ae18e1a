import type { Connection, ConnectionLink } from '../../../shared/remotes/dispatcher/connections.ts';

/** A connection as returned to the caller. If it has a gateway, `host` and `port` are those of the gateway. */
export type ConnectionResponse = Connection & {
  gateway?: { host: string; port: number; ticket: string } | undefined;
};

/** A link as returned to the caller. It has no parameters, and no gateway: the node decides where it leads. */
export type LinkResponse = ConnectionLink & { host: null; port: null; username: ''; domain: '' };

export const linkResponse = (link: ConnectionLink): LinkResponse => ({
  ...link,
  ...{ host: null, port: null, username: '', domain: '' },
});

export const isLink = (answer: Connection | ConnectionLink): answer is ConnectionLink =>
  answer.method === 'link';

/** Replaces line ends and other control characters, which neither file format can represent within a value. */
export const asOneLine = (value: string): string =>
  value.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').toWellFormed();
