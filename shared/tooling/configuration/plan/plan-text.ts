import { canonicalJson, isObject } from '../../../kernel/json/json.ts';
import type { Entry } from '../file/document.ts';
import { valuesAt } from '../file/paths.ts';
import type { Kind } from '../kinds.ts';
import type { Names } from '../records/names.ts';
import type { PortalRecord } from '../records/state.ts';
import type { Action, Change, PlannedSecret } from './plan.ts';
import { nameOf, reasonOf } from './refusal-text.ts';
import type { Schedule } from './schedule.ts';

type PlanSummary = Pick<Schedule, 'retained' | 'units'> & {
  actions: readonly Action[];
  unchanged: readonly Entry[];
  builtin: readonly PortalRecord[];
};

/** The plan as text: `+` create, `~` change with each member, `-` delete, `=` kept although it is not in the file. */
export function planText(
  { actions, units, retained, unchanged, builtin }: PlanSummary,
  names: Names,
): string {
  const resent = new Set(
    units.flatMap(({ steps }) => steps.filter(({ means }) => means.sendsSecrets).map(({ action }) => action)),
  );
  const stays = new Map<Action, string>(retained.map(({ action, reason }) => [action, reasonOf(reason)]));
  const lines = actions.flatMap((action) => {
    const reason = stays.get(action);
    return reason === undefined
      ? linesOf(action, names, resent.has(action))
      : [`= ${nameOf(action)} stays: ${reason}`];
  });
  const builtins = builtin.map(({ kind, name }) => `= ${kind.section}/${name} stays: it is built in`);
  return `${[...lines, ...builtins, summary(actions, retained.length, unchanged.length)].join('\n')}\n`;
}

function summary(actions: readonly Action[], retained: number, unchanged: number): string {
  const count = (kind: Action['do']) => actions.filter((action) => action.do === kind).length;
  if (actions.length === retained) return `No changes. ${unchanged} unchanged.`;
  return `Plan: ${count('create')} to create, ${count('change')} to change, ${count('delete') - retained} to delete, ${unchanged} unchanged.`;
}

function linesOf(action: Action, names: Names, resends: boolean): string[] {
  switch (action.do) {
    case 'create': {
      const { entry, body, secrets } = action;
      const members = Object.keys(entry.content).filter((name) => name !== 'name');
      return [
        `+ ${nameOf(action)}`,
        ...members.map((name) => `    ${name}: ${shown(named(entry.kind, name, body[name], names))}`),
        ...secrets.map(secretLine),
      ];
    }
    case 'change':
      return [`~ ${nameOf(action)}`, ...changeLines(action, names, resends)];
    case 'delete':
      return [`- ${nameOf(action)}`];
  }
}

function changeLines(
  { entry: { kind }, stored, body, members, secrets }: Change,
  names: Names,
  resends: boolean,
): string[] {
  const due = secrets.filter(({ state }) => state !== 'same' || resends);
  return [
    ...members.flatMap((name) =>
      memberLines(name, named(kind, name, stored.body[name], names), named(kind, name, body[name], names)),
    ),
    ...due.map(secretLine),
  ];
}

/** The lines of one member: for a list the removed and added elements, for an object its changed members. */
function memberLines(name: string, before: unknown, after: unknown): string[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [had, has] = [new Set(before.map(canonicalJson)), new Set(after.map(canonicalJson))];
    const gone = before.filter((value) => !has.has(canonicalJson(value)));
    const come = after.filter((value) => !had.has(canonicalJson(value)));
    if (gone.length + come.length > 0)
      return [
        `    ${name}:`,
        ...gone.map((value) => `      - ${shown(value)}`),
        ...come.map((value) => `      + ${shown(value)}`),
      ];
  }
  if (isObject(before) && isObject(after)) {
    const inner = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (member) => canonicalJson(before[member] ?? null) !== canonicalJson(after[member] ?? null),
    );
    return inner.flatMap((member) => memberLines(`${name}.${member}`, before[member], after[member]));
  }
  return [`    ${name}: ${shown(before)} → ${shown(after)}`];
}

const secretLine = ({ path, state }: PlannedSecret): string =>
  `    ${path.join('.')}: secret: ${secretWords[state]}`;

const secretWords: Record<PlannedSecret['state'], string> = {
  new: 'set',
  changed: 'changed',
  unknown: 'sent, as the stored one cannot be opened',
  same: 'sent again, as its destination changes',
};

/** A value of a body with names instead of ids. */
function named(kind: Kind, member: string, value: unknown, names: Names): unknown {
  const refers = kind.references.filter(({ path: [first] }) => first === member);
  const ids = new Set(
    refers.flatMap(({ path }) => valuesAt({ [member]: value }, path).map((found) => String(found.value))),
  );
  const rename = (inner: unknown): unknown => {
    if (typeof inner === 'string') return ids.has(inner) ? names.nameOf(inner) : inner;
    if (Array.isArray(inner)) return inner.map(rename);
    return isObject(inner)
      ? Object.fromEntries(Object.entries(inner).map(([name, of]) => [name, rename(of)]))
      : inner;
  };
  return ids.size === 0 ? value : rename(value);
}

const longest = 100;

/** A value in one line, without terminal control characters. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return '(none)';
  const isPlain = typeof value === 'string' && /^[\w./:@ +-]+$/.test(value);
  const text = isPlain ? value : JSON.stringify(value);
  const visible = text.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return visible.length > longest ? `${visible.slice(0, longest)}…` : visible;
}
