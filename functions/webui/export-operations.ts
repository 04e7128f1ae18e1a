import { Buffer } from 'node:buffer';
import { z } from 'zod';
import type { ExportSubject } from '../../db/repositories/exports/files.ts';
import { exportFailures } from '../../db/schema/exports/files.ts';
import type { Permission } from '../../shared/context/permissions.ts';
import { downloadExport, type ExportContent, type ExportDeps } from '../../shared/exports/export-download.ts';
import { type ExportReport, orderExport, reportExport } from '../../shared/exports/export-order.ts';
import { formats as allFormats, type FormatName } from '../../shared/exports/formats.ts';
import { endpointIn, type Operation } from '../../shared/http/declare/operation.ts';
import { Answer, Document } from '../../shared/http/serve/answer.ts';
import { type ResourceType, resources } from '../../shared/resources.ts';
import { Id, Moment } from '../../shared/shapes/fields.ts';

type Exported = {
  subject: ExportSubject;
  type: ResourceType;
  /** Path of the list; the two export operations are below it. */
  path: `/${string}`;
  access: Permission & `${string}.export`;
  /** The filters of the list, including `search` if the list has it. */
  filters: Record<string, z.ZodType>;
  formats: readonly [FormatName, ...FormatName[]];
};

export const Report = z
  .strictObject({
    export_id: Id.describe('Identifier of the export.'),
    state: z
      .enum(['pending', 'running', 'ready', 'failed'])
      .describe(
        '`pending`: queued; `running`: being built; `ready`: the file can be downloaded; `failed`: the file could not be built.',
      ),
    format: z
      .enum(Object.keys(allFormats) as [FormatName, ...FormatName[]])
      .describe(
        'Format of the file: `csv` (RFC 4180), `ndjson` (a JSON object per line), `json` (an array) or, for audit events, `cef`.',
      ),
    rows: z.int().optional().describe('Number of rows in the file, or so far while it is built.'),
    bytes: z.int().optional().describe('Size of the file in bytes, or so far while it is built.'),
    sha256: z
      .string()
      .optional()
      .describe('SHA-256 of the whole file, hexadecimal. Present once the file is ready.'),
    reason: z
      .enum(exportFailures)
      .optional()
      .describe(
        'Cause of the failure: `too_many_rows` (more than `export.max_rows`), `not_written` (the file could not be written) or `late` (not built in time).',
      ),
    progress: z.number().min(0).max(1).describe('Built part of the file as a fraction from 0 to 1.'),
    expires_at: Moment.describe('When the file is removed. Set by the portal from `export.keep_h`.'),
  })
  .meta({ id: 'Export' });

const Obtaining = z.strictObject({
  export_id: Id.optional().describe(
    'Identifier of the export. Default: the newest ready export of the caller.',
  ),
  offset: z
    .int()
    .min(0)
    .max(2 ** 40)
    .default(0)
    .meta({ example: 0 })
    .describe('Position in bytes from which the file is sent, to resume a download. Default 0.'),
});

/**
 * The two operations of an export: GET orders a file or returns its state, POST downloads it. The file contains
 * rows of all sites, so the permission is required for all sites.
 */
export const exportable = <D extends ExportDeps>(exported: Exported): Operation<D>[] => [
  orderOf<D>(exported),
  obtainingOf<D>(exported),
];

function orderOf<D extends ExportDeps>(exported: Exported): Operation<D> {
  const { subject, type, path, access } = exported;
  const query = z.strictObject({
    export_id: Id.optional().describe(
      'Identifier of an ordered export, whose state is returned. Other parameters are ignored.',
    ),
    format: z
      .enum(exported.formats)
      .default(exported.formats[0])
      .describe(
        'Format of the file: `csv` (RFC 4180), `ndjson` (a JSON object per line), `json` (an array) or, for audit events, `cef`. Default `csv`.',
      ),
    ...exported.filters,
  });
  return endpointIn<D>()(
    {
      id: `${type}.buildExport`,
      route: `GET ${path}/export`,
      access,
      allSites: true,
      summary: `Build an export file of ${resources[type].many}`,
      description:
        'Orders an export. If the caller ordered an export with the same filters that is being built or was finished less than a minute ago, the response describes that export. The status is 200 if the export is ready or has failed. With 202, repeat the request with `export_id`.',
      query,
      begins: true,
      returns: [202, Report],
      orReturns: [200, Report],
      errors: ['not_found', 'expired'],
    },
    async (ctx, { query: { export_id, format, ...filters } }) =>
      reportAnswer(
        export_id === undefined
          ? await orderExport(ctx, { subject, format, filters })
          : await reportExport(ctx, subject, export_id),
      ),
  );
}

const obtainingOf = <D extends ExportDeps>({
  subject,
  type,
  path,
  access,
  formats,
}: Exported): Operation<D> =>
  endpointIn<D>()(
    {
      id: `${type}.obtainExport`,
      route: `POST ${path}/export`,
      access,
      allSites: true,
      summary: `Download the export file of ${resources[type].many}`,
      description:
        'The response contains the bytes from `offset` on. Use `offset` to resume an interrupted download. The header `Repr-Digest` covers the whole file.',
      body: { optional: Obtaining },
      returns: [200, null],
      alsoReturns: [...new Set(formats.map(mediaTypeOf))],
      errors: ['not_found', 'export_pending', 'invalid_state', 'expired', 'upstream_failed'],
    },
    async (ctx, { body }) =>
      documentOf(await downloadExport(ctx, subject, body?.export_id, body?.offset ?? 0)),
  );

/** Without parameters, as documents name it. */
const mediaTypeOf = (name: FormatName): string => allFormats[name].mediaType.split(';')[0] ?? '';

const reportAnswer = ({ report, isOver }: ExportReport): Answer =>
  new Answer(report, isOver ? { status: 200 } : {});

const documentOf = ({ content, mediaType, fileName, bytes, sha256 }: ExportContent): Document =>
  new Document(content, mediaType, {
    'content-disposition': `attachment; filename="${fileName}"`,
    'content-length': String(bytes),
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  });
