import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { document } from '../../../contract/generated/described.ts';
import { type PatchedKind, patchedKinds } from '../../../contract/patched-kinds.ts';
import { directoryBody, domainsPath, unique, useWorld } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld({ allowInsecure: true });
let kinds: Record<string, PatchedKind>;
beforeAll(async () => {
  kinds = { ...(await patchedKinds(world)), [ofDirectory]: directoryKind };
});

const ofDirectory = 'a directory domain';
/** Its settings contain a secret. */
const directoryKind: PatchedKind = {
  path: domainsPath,
  body: () => directoryBody({ bind_dn: 'cn=reader', bind_password: 'first secret' }),
  others: {
    comments: { comments: 'noted' },
    filter: { params: { user_filter: '(mail=*)' } },
    password: { params: { bind_password: 'second secret' } },
    tags: { tags: ['office'] },
    withoutPassword: { params: { bind_password: null } },
  },
};

/** The kinds with a history, by the name of the schema of their merge patch. */
const described = Object.keys(document.components.schemas).flatMap((name) => {
  const kind = name.replace(/Version$/, '');
  return kind !== name && `${kind}Patch` in document.components.schemas ? [`${kind}Patch`] : [];
});

/** Sets members to another value or back to their defaults, restores a version, or replaces the record with itself. */
type Step = { verb: 'set' | 'reset' | 'rename' | 'restore' | 'resend'; which: number[] };

const verb = fc.constantFrom<Step['verb']>(
  'set',
  'set',
  'set',
  'reset',
  'reset',
  'rename',
  'restore',
  'resend',
);
const which = fc.array(fc.nat(20), { minLength: 1, maxLength: 3 });
const steps = fc.array(fc.record<Step>({ verb, which }), { minLength: 4, maxLength: 9 });

const names = [...described, ofDirectory];

const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % all.length];

/** One record, and what `GET` returned after each of its versions, oldest first. */
class TrackedRecord {
  readonly versions: { version: string; body: Json }[] = [];
  readonly kind: PatchedKind;
  readonly path: string;

  constructor(kind: PatchedKind, path: string) {
    this.kind = kind;
    this.path = path;
  }

  history = (query = '') => world.admin(`GET ${this.path}/history${query}`);

  /** Adds the newest version, if the write has made one. */
  async note(): Promise<void> {
    const { body } = await this.history('?limit=1');
    if (body.items[0].version !== this.versions.at(-1)?.version)
      this.versions.push({
        version: body.items[0].version,
        body: (await world.admin(`GET ${this.path}`)).body,
      });
  }

  async take(step: Step): Promise<void> {
    await this.#write(step);
    await this.note();
  }

  async #write({ verb, which }: Step) {
    if (verb === 'restore') {
      const version = pick(this.versions, which[0] ?? 0)?.version;
      return world.admin(`POST ${this.path}/restore`, { version });
    }
    if (verb === 'resend')
      return world.admin(`PUT ${this.path}`, (await world.admin(`GET ${this.path}`)).body);
    if (verb === 'rename') return world.admin(`PATCH ${this.path}`, { name: unique('renamed') });
    const { others, beside = {} } = this.kind;
    const chosen = which.map((at) => pick(Object.keys(others), at) ?? '');
    const parts = chosen.map((name) =>
      verb === 'set' ? others[name] : { [name]: null, ...Object(beside[name]) },
    );
    return world.admin(`PATCH ${this.path}`, Object.assign({}, ...parts));
  }
}

async function makeRecord(kind: PatchedKind): Promise<TrackedRecord> {
  const { status, body } = await world.admin(`POST ${kind.path}`, kind.body());
  expect([status, body]).toEqual([201, body]);
  const record = new TrackedRecord(kind, `${kind.path}/${body.id}`);
  await record.note();
  return record;
}

const kindOf = (name: string): PatchedKind => {
  const kind = kinds[name];
  if (!kind) throw new Error(`no kind has the merge patch ${name}`);
  return kind;
};

describe('the versions of a record', () => {
  it('exist for every administered kind', () => expect(described).toHaveLength(14));

  it.each(names)('%s: each has the state that was read at that time', async (name) => {
    await fc.assert(
      fc.asyncProperty(steps, async (walk) => {
        const record = await makeRecord(kindOf(name));
        for (const step of walk) await record.take(step);
        for (const { version, body } of record.versions) {
          const then = (await world.admin(`GET ${record.path}/history/${version}`)).body;
          expect(then).toMatchObject({ version, complete: true, absent: [], uncertain: [] });
          const read = Object.keys(then.state).map((member) => [member, body[member]]);
          expect(then.state).toEqual(Object.fromEntries(read));
        }
      }),
      { numRuns: 6, seed: 20_261_123 },
    );
  });

  it.each(names)('%s: a restored one is read as it was then', async (name) => {
    const record = await makeRecord(kindOf(name));
    for (const at of [0, 1, 2, 3]) await record.take({ verb: 'set', which: [at] });
    const [first] = record.versions;
    const answer = await world.admin(`POST ${record.path}/restore`, { version: first?.version });
    expect([answer.status, answer.body]).toEqual([200, answer.body]);
    const { state } = (await world.admin(`GET ${record.path}/history/${first?.version}`)).body;
    expect(answer.body).toMatchObject(state);
    const { items } = (await record.history()).body;
    expect(items[0]).toMatchObject({ action: 'restored', user: 'admin', service_token: null });
    expect(items.at(-1)).toMatchObject({ action: 'created', version: first?.version });
  });
});
