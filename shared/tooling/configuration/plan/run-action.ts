import { etagOf } from '../../../http/serve/conditions.ts';
import { canonicalJson, isObject } from '../../../kernel/json/json.ts';
import { replacedAt, withMember } from '../file/paths.ts';
import type { Pictures } from '../file/pictures.ts';
import type { Kind } from '../kinds.ts';
import type { Operator } from '../records/operator.ts';
import { pathOf } from '../records/state.ts';
import type { Action, Change, Create, Delete, PlannedSecret } from './plan.ts';

type Body = Record<string, unknown>;

/** State shared by the actions of a run. */
export type Run = {
  operator: Operator;
  /** Ids of created records by their temporary ids in the plan. */
  ids: Map<string, string>;
  pictures: Pictures;
  /** Called with the token of a created record. */
  onToken(section: string, name: string, token: string): void;
};

/** Options determined by the dry run. */
export type RunHints = {
  /** Sends unchanged secrets, because their destination changes. */
  sendsSecrets?: boolean;
  /** Revision after an earlier action on the same record in this run. */
  revision?: number;
};

/**
 * Runs one action through the operations of the API.
 * @returns the revision of the record, undefined after a deletion
 * @throws AppError of the operation
 */
export function runAction(run: Run, action: Action, means: RunHints = {}): Promise<number | undefined> {
  switch (action.do) {
    case 'create':
      return create(run, action);
    case 'change':
      return change(run, action, means);
    case 'delete':
      return remove(run, action, means);
  }
}

async function create(run: Run, { entry, id, body, secrets }: Create): Promise<number | undefined> {
  const { kind } = entry;
  const parent = parentOf(run, kind, body);
  const made = await run.operator.call(`${kind.type}.create`, {
    params: pathOf(kind, undefined, parent),
    body: sent(run, kind, body, secrets),
  });
  const realId = String(made.body.id);
  run.ids.set(id, realId);
  if (typeof made.body.token === 'string') run.onToken(kind.section, entry.name, made.body.token);
  return changeAttributes(run, kind, realId, [], body, made.revision);
}

async function change(run: Run, action: Change, means: RunHints): Promise<number | undefined> {
  const { entry, stored, body, members, secrets } = action;
  const { kind } = entry;
  let revision = means.revision ?? action.revision;
  const due = secrets.filter(({ state }) => state !== 'same' || means.sendsSecrets);
  if (due.length > 0 || members.some((name) => !kind.beside.includes(name))) {
    const answer = await run.operator.call(`${kind.type}.replace`, {
      params: pathOf(kind, stored.id, stored.parent),
      body: sent(run, kind, body, due, stored.view.image_id),
      conditions: { ifMatch: etagOf(revision, null) },
    });
    revision = answer.revision ?? revision;
  }
  return changeAttributes(run, kind, stored.id, stored.body.attributes, body, revision);
}

async function remove(
  { operator }: Run,
  { stored: { kind, id, parent }, revision: planned }: Delete,
  { revision = planned }: RunHints,
): Promise<undefined> {
  await operator.call(`${kind.type}.delete`, {
    params: pathOf(kind, id, parent),
    conditions: { ifMatch: etagOf(revision, null) },
  });
}

/** Temporarily replaces a unique value, or a reference that blocks another record, until the record is changed. */
export async function yieldPlace(
  run: Run,
  { stored, revision }: Change | Delete,
  token: string,
): Promise<number | undefined> {
  const { kind } = stored;
  const body = { ...stored.body, ...kind.yields?.(token) };
  const answer = await run.operator.call(`${kind.type}.replace`, {
    params: pathOf(kind, stored.id, stored.parent),
    body: sent(run, kind, body, [], stored.view.image_id),
    conditions: { ifMatch: etagOf(revision, null) },
  });
  return answer.revision;
}

const parentOf = ({ ids }: Run, { section }: Kind, { authenticator_id: id }: Body): string | undefined =>
  section === 'groups' ? (ids.get(String(id)) ?? String(id)) : undefined;

/** The body of a write, without members of other operations, and with the ids of created records. */
function sent(
  { ids, pictures }: Run,
  kind: Kind,
  body: Body,
  secrets: readonly PlannedSecret[],
  imageId?: unknown,
): Body {
  const own = Object.entries(body).filter(([name]) => !kind.beside.includes(name));
  let result: Body = Object.fromEntries(own);
  for (const { path } of kind.references) {
    const replaced = replacedAt(result, path, (id) => ids.get(String(id)) ?? id);
    if (isObject(replaced)) result = replaced;
  }
  if (kind.section === 'rules') result = withPicture(result, pictures, imageId);
  for (const { path, value } of secrets) result = withMember(result, path, value);
  return result;
}

/** A picture that the rule uses already keeps its id; a new one is stored with the rule. */
function withPicture({ image_id: digest, ...body }: Body, pictures: Pictures, imageId: unknown): Body {
  const image = typeof digest === 'string' ? pictures.get(digest) : undefined;
  return image === undefined ? { ...body, image_id: digest === null ? null : imageId } : { ...body, image };
}

type Attribute = { name: string; source: string; title: string };

/** Changes the attributes of a directory to those of the entry, with one operation per attribute. */
async function changeAttributes(
  { operator }: Run,
  kind: Kind,
  id: string,
  present: unknown,
  { attributes }: Body,
  revision: number | undefined,
): Promise<number | undefined> {
  const [before, after] = [present, attributes].map((list) => (Array.isArray(list) ? list : [])) as [
    Attribute[],
    Attribute[],
  ];
  let current = revision;
  for (const body of attributeChanges(before, after)) {
    const answer = await operator.call(`${kind.type}.changeAttribute`, {
      params: pathOf(kind, id),
      body,
      conditions: current === undefined ? {} : { ifMatch: etagOf(current, null) },
    });
    current = answer.revision ?? current;
  }
  return current;
}

function attributeChanges(before: readonly Attribute[], after: readonly Attribute[]): Body[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  // The operation cannot reorder attributes, so they are deleted and added again from the first difference.
  const same = before.findIndex((one, at) => canonicalJson(one) !== canonicalJson(after[at]));
  const from = same === -1 ? before.length : same;
  return [
    ...before.slice(from).map(({ name }) => ({ action: 'delete', name })),
    ...after.slice(from).map((attribute) => ({ action: 'add', ...attribute })),
  ];
}
