import { z } from 'zod';
import type { ExportSubject } from '../../../db/repositories/exported-files.ts';
import { exportFailures } from '../../../db/schema/exported-files.ts';
import type { Permission } from '../../access/permissions.ts';
import type { BaseDeps } from '../../http/context.ts';
import { Id, Moment } from '../../http/fields.ts';
import { endpointIn, type Operation } from '../../http/operation.ts';
import type { ObjectReader } from '../../kernel/object-store.ts';
import { type ResourceType, resources } from '../../resources.ts';
import { formats as allFormats, type FormatName } from './formats.ts';
import { obtainExport } from './obtaining.ts';
import { orderExport, reportExport } from './ordering.ts';

export type ExportDeps = BaseDeps & {
  /** Of files that are not in the database. */
  objectStore?: ObjectReader;
};

type Exported = {
  subject: ExportSubject;
  type: ResourceType;
  /** Of the list: the pair stands below it. */
  path: `/${string}`;
  access: Permission & `${string}.export`;
  /** The filters of the list, `search` among them where the list has it. */
  filters: Record<string, z.ZodType>;
  formats: readonly [FormatName, ...FormatName[]];
};

const Report = z
  .strictObject({
    export_id: Id,
    state: z.enum(['pending', 'running', 'ready', 'failed']),
    format: z.enum(Object.keys(allFormats) as [FormatName, ...FormatName[]]),
    rows: z.int().optional().meta({ description: 'So far, while it is built' }),
    bytes: z.int().optional().meta({ description: 'So far, while it is built' }),
    sha256: z.string().optional().meta({ description: 'Of the whole file, hexadecimal' }),
    reason: z.enum(exportFailures).optional().meta({
      description:
        'Why it failed: more rows than `export.max_rows`, the file could not be written, or it was not built in time',
    }),
    progress: z.number().min(0).max(1).meta({ description: 'From 0 to 1' }),
    expires_at: Moment,
  })
  .meta({ id: 'Export' });

const Obtaining = z.strictObject({
  export_id: Id.optional().meta({ description: "The caller's newest one when absent" }),
  offset: z
    .int()
    .min(0)
    .max(2 ** 40)
    .default(0)
    .meta({ description: 'Bytes that the caller has already', example: 0 }),
});

/**
 * The two operations of an export: GET orders a file, or tells of one; POST gives it. Rows of all sites are in it, so it
 * needs the permission for all of them.
 */
export const exportable = <D extends ExportDeps>(exported: Exported): Operation<D>[] => [
  orderOf<D>(exported),
  obtainingOf<D>(exported),
];

function orderOf<D extends ExportDeps>(exported: Exported): Operation<D> {
  const { subject, type, path, access } = exported;
  const query = z.strictObject({
    export_id: Id.optional().meta({
      description: 'Tells of this export and starts nothing; nothing else then counts',
    }),
    format: z.enum(exported.formats).default(exported.formats[0]),
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
        'Answers the export that the caller has already ordered with equal filters, while it is built and for a minute after, else orders one. 200 when it is ready, or has failed; otherwise ask again with its `export_id`.',
      query,
      begins: true,
      returns: [202, Report],
      orReturns: [200, Report],
      errors: ['not_found', 'expired'],
    },
    (ctx, { query: { export_id, format, ...filters } }) =>
      export_id === undefined
        ? orderExport(ctx, { subject, format, filters })
        : reportExport(ctx, subject, export_id),
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
      summary: `Obtain the export file of ${resources[type].many}`,
      description:
        'As bytes from `offset` on; `Repr-Digest` is of the whole file. A download that was cut off goes on where it ended.',
      body: { optional: Obtaining },
      returns: [200, null],
      alsoReturns: [...new Set(formats.map(mediaTypeOf))],
      errors: ['not_found', 'export_pending', 'invalid_state', 'expired', 'upstream_failed'],
    },
    (ctx, { body }) => obtainExport(ctx, subject, body?.export_id, body?.offset ?? 0),
  );

/** Without parameters, as documents name it. */
const mediaTypeOf = (name: FormatName): string => allFormats[name].mediaType.split(';')[0] ?? '';
