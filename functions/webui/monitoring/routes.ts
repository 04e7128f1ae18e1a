import { ListSearch } from '../../../shared/shapes/list.ts';
import { base, endpoint, type WebuiDeps } from '../deps.ts';
import { exportable } from '../export-operations.ts';
import { monitoringCrud } from './record.ts';
import { addRecord, replaceRecord, updateRecord } from './usecases.ts';

const { operations, filters, declared, target } = monitoringCrud;

/** Records have no unique name, so `already_exists` does not occur. */
const errors = [] as const;

export const monitoringOperations = [
  ...operations,
  ...exportable<WebuiDeps>({
    subject: 'monitoring',
    type: 'monitoring_record',
    path: `${base}/monitoring`,
    access: 'monitoring.export',
    filters: { search: ListSearch, ...filters },
    formats: ['csv', 'ndjson', 'json'],
  }),
  endpoint({ ...declared.create, errors }, (ctx, { body }) => addRecord(ctx, body)),
  endpoint({ ...declared.replace, errors }, (ctx, input) => replaceRecord(ctx, target(input), input.body)),
  endpoint({ ...declared.update, errors }, (ctx, input) => updateRecord(ctx, target(input), input.body)),
];
