import type { AppError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/json.ts';
import { lineOf } from './desired.ts';
import { placeOf } from './document.ts';
import type { Action } from './plan.ts';
import type { YamlFile } from './yaml-file.ts';

/** What an operation refused, one line for each member at fault. */
export function refusalLines(file: YamlFile, action: Action, error: AppError): string[] {
  if (action.do === 'delete') return [`${nameOf(action)}: ${reasonOf(error)}`];
  const { entry } = action;
  const { errors = [] } = error.members;
  // A fault of the body as a whole has no member.
  return errors.length > 0
    ? errors.map(({ pointer, detail }) => lineOf(file, entry, pointer, detailOf(error, detail)))
    : [`${placeOf(file, entry.at)}: ${reasonOf(error)}`];
}

const detailOf = ({ code }: AppError, detail: string): string =>
  code === 'secret_required' ? `${detail}, so the secret is needed in the file` : detail;

/** Why an action is refused, in one sentence. */
export function reasonOf(error: AppError): string {
  if (error.code === 'precondition_failed')
    return 'it was changed after the plan was made; run the same command again';
  const { references } = error.members;
  const users = Array.isArray(references) ? references.filter(isObject) : [];
  if (users.length > 0)
    return `in use by ${users.map(({ type, name }) => `${String(type).replaceAll('_', ' ')} ${String(name)}`).join(', ')}`;
  return error.message;
}

/** `sites/North` */
export const nameOf = (action: Action): string =>
  action.do === 'delete'
    ? `${action.stored.kind.section}/${action.stored.name}`
    : `${action.entry.kind.section}/${action.entry.name}`;
