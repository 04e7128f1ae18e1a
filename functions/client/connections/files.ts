import type { z } from 'zod';
import type { AccountPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { Document } from '../../../shared/http/serve/answer.ts';
import { AppError, invalid } from '../../../shared/kernel/errors.ts';
import { message } from '../../../shared/messages/message.ts';
import type { ClientDeps } from '../deps.ts';
import type { ConnectionResponse } from './connection-response.ts';
import { attachment } from './file-names.ts';
import { issueConnection, notAcceptable } from './pipeline.ts';
import { rdpFile } from './rdp-file.ts';
import type { ConnectionQuery } from './schema.ts';
import { virtViewerFile } from './virt-viewer-file.ts';

type FileCtx = RequestCtx<ClientDeps, AccountPrincipal>;
type Query = z.output<typeof ConnectionQuery>;
type Protocol = ConnectionResponse['protocol'];

/** Media types that client programs for connections are registered for. */
export const fileTypes = { rdp: 'application/x-rdp', spice: 'application/x-virt-viewer' } as const;
const extensions = { rdp: 'rdp', spice: 'vv' } as const;
const protocols = ['rdp', 'spice'] as const satisfies readonly Protocol[];

/**
 * Returns a connection in the form that `Accept` requests: JSON, or the file for a client program of its protocol. If
 * the protocol of the connection does not match the requested file, the response is JSON, if the caller accepts it.
 * @throws AppError as `issueConnection`; `not_acceptable` if neither form is possible; `invalid_request` for a
 *   `protocol` that does not match the requested file
 */
export async function negotiatedConnection(ctx: FileCtx, siteUri: string, id: string, query: Query) {
  const acceptedProtocols = protocols.filter((protocol) => ctx.accepts(fileTypes[protocol]));
  const takesFilesOnly =
    acceptedProtocols.length > 0 && !['application/json', 'application/*', '*/*'].some(ctx.accepts);
  const acceptable = takesFilesOnly ? acceptedProtocols : protocols;
  const accepts = { protocols: acceptable, links: !takesFilesOnly };
  const { connection, name } = await issueConnection(
    ctx,
    siteUri,
    id,
    narrowed(query, acceptedProtocols),
    accepts,
  ).catch((error: unknown) => {
    throw takesFilesOnly && isOfOtherProtocol(error) ? notAcceptable(acceptable) : error;
  });
  if (connection.method === 'link' || !acceptedProtocols.includes(connection.protocol)) return connection;
  return fileOf(ctx, connection, name);
}

/** The dispatcher reports this as a preparation, but waiting does not help. */
const isOfOtherProtocol = (error: unknown): boolean =>
  error instanceof AppError && error.members.reason_code === 'protocol_not_offered';

/** A caller that accepts only one file type has selected its protocol. */
function narrowed(query: Query, acceptedProtocols: readonly Protocol[]): Query {
  const [only] = acceptedProtocols;
  if (only === undefined || acceptedProtocols.length > 1) return query;
  if (query.protocol === undefined || query.protocol === only) return { ...query, protocol: only };
  const detail = message('The file type {type} belongs to another protocol', { type: fileTypes[only] });
  throw invalid({ pointer: '?protocol', code: 'not_allowed', detail });
}

/** The file has the name of the service. The name contains neither the user nor the target. */
async function fileOf({ deps }: FileCtx, offered: ConnectionResponse, name: string): Promise<Document> {
  const { protocol } = offered;
  const content = protocol === 'rdp' ? await rdpFile(offered, deps.signRdp) : virtViewerFile(offered);
  return new Document(Uint8Array.from(content), fileTypes[protocol], {
    'content-disposition': attachment(name, extensions[protocol]),
  });
}
