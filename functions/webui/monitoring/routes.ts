import { endpoint } from '../deps.ts';
import { monitoringCrud } from './record.ts';
import { addRecord, replaceRecord, updateRecord } from './usecases.ts';

const { operations, declared, target } = monitoringCrud;

/** A record has no name that could be taken. */
const errors = [] as const;

export const monitoringOperations = [
  ...operations,
  endpoint({ ...declared.create, errors }, (ctx, { body }) => addRecord(ctx, body)),
  endpoint({ ...declared.replace, errors }, (ctx, input) => replaceRecord(ctx, target(input), input.body)),
  endpoint({ ...declared.update, errors }, (ctx, input) => updateRecord(ctx, target(input), input.body)),
];
