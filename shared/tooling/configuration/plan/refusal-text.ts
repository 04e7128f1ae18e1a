import type { AppError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { placeOf } from '../file/document.ts';
import { valuesAt } from '../file/paths.ts';
import type { YamlFile } from '../file/yaml-file.ts';
import { lineOf } from './desired.ts';
import type { Action } from './plan.ts';
import type { Refusal } from './schedule.ts';

/** Describes the rejection of an operation, with one line per invalid member. */
export function refusalLines(file: YamlFile, action: Action, error: AppError): string[] {
  if (action.do === 'delete') return [`${nameOf(action)}: ${reasonOf(error)}`];
  const { entry } = action;
  const { errors = [] } = error.members;
  // An error of the body as a whole has no member.
  return errors.length > 0
    ? errors.map(({ pointer, detail }) => lineOf(file, entry, pointer, detailOf(error, String(detail))))
    : [`${placeOf(file, entry.at)}: ${reasonOf(error)}`];
}

const detailOf = ({ code }: AppError, detail: string): string =>
  code === 'secret_required' ? `${detail}, so the secret is needed in the file` : detail;

/** The reason of a rejection in one sentence. */
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

/** Rejections that do not result from another one: the rejection of a site explains those of its farms. */
export function rootsOf(refused: readonly Refusal[]): readonly Refusal[] {
  const absent = new Set(refused.flatMap(({ action }) => (action.do === 'create' ? [action.id] : [])));
  const roots = refused.filter(({ action }) => !refersTo(action, absent));
  return roots.length > 0 ? roots : refused;
}

const refersTo = (action: Action, ids: ReadonlySet<string>): boolean =>
  action.do !== 'delete' &&
  action.entry.kind.references.some(({ path }) =>
    valuesAt(action.body, path).some(({ value }) => ids.has(String(value))),
  );
