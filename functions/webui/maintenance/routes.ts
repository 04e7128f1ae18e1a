import { endpoint } from '../deps.ts';
import { maintenanceCrud } from './record.ts';
import { createTemplate, replaceTemplate, updateTemplate } from './usecases.ts';

const { operations, declared, target } = maintenanceCrud;

export const maintenanceOperations = [
  ...operations,
  endpoint(declared.create, (ctx, { body }) => createTemplate(ctx, body)),
  endpoint(declared.replace, (ctx, input) => replaceTemplate(ctx, target(input), input.body)),
  endpoint(declared.update, (ctx, input) => updateTemplate(ctx, target(input), input.body)),
];
