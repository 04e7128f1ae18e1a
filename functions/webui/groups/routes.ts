import { endpoint } from '../deps.ts';
import { groupCrud } from './record.ts';
import { createGroup, deleteGroup, deleteGroups, replaceGroup, updateGroup } from './usecases.ts';

const { operations, declared, target, parentOf } = groupCrud;

export const groupOperations = [
  ...operations,
  endpoint(declared.create, (ctx, { params, body }) => createGroup(ctx, parentOf(params), body)),
  endpoint(declared.replace, (ctx, input) => replaceGroup(ctx, target(input), input.body)),
  endpoint(declared.update, (ctx, input) => updateGroup(ctx, target(input), input.body)),
  endpoint(declared.delete, (ctx, input) => deleteGroup(ctx, target(input))),
  endpoint(declared.bulkDestroy, (ctx, { params, body }) => deleteGroups(ctx, parentOf(params), body)),
];
