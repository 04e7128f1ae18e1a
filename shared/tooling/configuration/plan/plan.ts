import type { Sealer } from '../../../kernel/crypto/sealing.ts';
import { canonicalJson } from '../../../kernel/json/json.ts';
import type { Configuration, Entry } from '../file/document.ts';
import { kinds } from '../kinds.ts';
import type { Operator } from '../records/operator.ts';
import {
  identityOf,
  isSecretSet,
  type PortalRecord,
  pathOf,
  type State,
  storedOf,
} from '../records/state.ts';
import { isSameSecret } from '../records/stored-secrets.ts';
import type { DesiredRecord } from './desired.ts';

type Body = Record<string, unknown>;

/** A secret of an entry, compared with the stored one; `unknown` if the stored one cannot be opened. */
export type PlannedSecret = {
  path: readonly string[];
  value: string;
  state: 'new' | 'changed' | 'unknown' | 'same';
};

export type Create = { do: 'create'; entry: Entry; id: string; body: Body; secrets: PlannedSecret[] };
export type Change = {
  do: 'change';
  entry: Entry;
  stored: PortalRecord;
  revision: number;
  body: Body;
  /** Names of changed members. */
  members: string[];
  secrets: PlannedSecret[];
};
export type Delete = { do: 'delete'; stored: PortalRecord; revision: number };
export type Action = Create | Change | Delete;

export type Plan = {
  /** In the order of sections; deletions last, in reverse order. */
  actions: Action[];
  /** Entries that equal their records. */
  unchanged: Entry[];
};

/**
 * Compares the file with the records. A record that differs is read again with its revision and compared again.
 * @param prune delete records of the file's sections that are not in the file
 */
export async function planOf(
  operator: Operator,
  sealer: Sealer,
  {
    state,
    desired,
    configuration,
    prune,
  }: {
    state: State;
    desired: readonly DesiredRecord[];
    configuration: Configuration;
    prune: boolean;
  },
): Promise<Plan> {
  const actions: Action[] = [];
  const unchanged: Entry[] = [];
  for (const want of desired) {
    const action = await actionFor(operator, sealer, want, state);
    if (action) actions.push(action);
    else unchanged.push(want.entry);
  }
  // A change of a tag's case is propagated to domains, which increments their revision.
  const isTagChange = (action: Action): boolean =>
    action.do === 'change' && action.entry.kind.section === 'tags';
  actions.sort((a, b) => Number(isTagChange(a)) - Number(isTagChange(b)));
  const doomed = prune ? leftOver(configuration, desired, state) : [];
  for (const stored of doomed) {
    const fresh = await reread(operator, stored, state);
    actions.push({ do: 'delete', ...fresh });
  }
  return { actions, unchanged };
}

async function actionFor(
  operator: Operator,
  sealer: Sealer,
  { entry, id, body, stored }: DesiredRecord,
  state: State,
): Promise<Create | Change | undefined> {
  if (!stored) {
    const secrets = entry.secrets.map((secret) => ({ ...secret, state: 'new' as const }));
    return { do: 'create', entry, id, body, secrets };
  }
  const known = await plannedSecrets(operator, sealer, entry, stored);
  const isSettled = known.every((secret) => secret.state === 'same');
  if (isSettled && differing(stored.body, body).length === 0) return undefined;
  const { stored: fresh, revision } = await reread(operator, stored, state);
  const members = differing(fresh.body, body);
  if (isSettled && members.length === 0) return undefined;
  return { do: 'change', entry, stored: fresh, revision, body, members, secrets: known };
}

const plannedSecrets = async (
  operator: Operator,
  sealer: Sealer,
  { secrets }: Entry,
  stored: PortalRecord,
): Promise<PlannedSecret[]> => {
  const planned: PlannedSecret[] = [];
  for (const secret of secrets) {
    const same = isSecretSet(stored, secret.path)
      ? await isSameSecret(operator.db, sealer, stored, secret.path, secret.value)
      : false;
    const state = same === undefined ? 'unknown' : same ? 'same' : 'changed';
    planned.push({ ...secret, state: isSecretSet(stored, secret.path) ? state : 'new' });
  }
  return planned;
};

const differing = (before: Body, after: Body): string[] =>
  Object.keys(after).filter(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null),
  );

/** Reads the record again, with its revision. */
async function reread(
  operator: Operator,
  { kind, id, parent }: PortalRecord,
  { pictures }: Pick<State, 'pictures'>,
): Promise<{ stored: PortalRecord; revision: number }> {
  const { body, revision = 0 } = await operator.call(`${kind.type}.get`, {
    params: pathOf(kind, id, parent),
  });
  return { stored: await storedOf(operator, kind, body, parent, pictures), revision };
}

/** The records that are not in the sections of the file, in the order of deletion. */
function leftOver(
  { sections }: Configuration,
  desired: readonly DesiredRecord[],
  { records }: State,
): PortalRecord[] {
  const named = new Set(desired.map(({ id }) => id));
  return sections
    .toReversed()
    .flatMap((section) => records[section].filter(({ id, builtin }) => !named.has(id) && !builtin));
}

/** Built-in records that pruning skips, for the plan. */
export const builtinLeftOver = (
  { sections }: Configuration,
  desired: readonly DesiredRecord[],
  { records }: State,
): PortalRecord[] => {
  const named = new Set(
    desired.map(
      ({ entry, body }) => `${entry.kind.section} ${identityOf(entry.name, body.authenticator_id)}`,
    ),
  );
  return sections.flatMap((section) =>
    records[section].filter(
      ({ builtin, name, parent }) =>
        builtin && !named.has(`${kinds[section].section} ${identityOf(name, parent)}`),
    ),
  );
};
