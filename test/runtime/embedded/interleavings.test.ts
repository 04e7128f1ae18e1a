import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Server, startEmbedded } from '../../support/database/pair.ts';

const settings = [
  'statement_timeout',
  'work_mem',
  'application_name',
  'TimeZone',
  'search_path',
  'app.who',
] as const;
type Setting = (typeof settings)[number];
/** As SHOW returns them. */
const values: Record<Setting, readonly string[]> = {
  statement_timeout: ['1min', '2min', '0'],
  work_mem: ['5MB', '6MB'],
  application_name: ['one', `it's`, 'two \\"'],
  TimeZone: ['Asia/Tokyo', 'Europe/Paris'],
  search_path: ['public, pg_temp', '"ä b", public'],
  'app.who': ['me', 'you\\ ü'],
};
const defaults: Record<Setting, string> = {
  statement_timeout: '0',
  work_mem: '4MB',
  application_name: '',
  TimeZone: 'UTC',
  search_path: 'public',
  'app.who': '',
};

/** The current value, and the value after COMMIT. */
type Values = Record<Setting, string>;
type Level = { shown: Values; lasting: Values };

/** The rules of PostgreSQL for the settings of one session. */
class Model {
  readonly initial: Values;
  #levels: Level[];
  #hasFailed = false;

  constructor(initial: Partial<Values>) {
    this.initial = { ...defaults, ...initial };
    this.#levels = [{ shown: { ...this.initial }, lasting: { ...this.initial } }];
  }

  get shown(): Values {
    return this.#top.shown;
  }
  get isOpen(): boolean {
    return this.#levels.length > 1;
  }
  get isSaved(): boolean {
    return this.#levels.length > 2;
  }
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  set(name: Setting, value: string, isLocal: boolean): void {
    this.#top.shown[name] = value;
    if (!isLocal) this.#top.lasting[name] = value;
  }
  push(): void {
    this.#levels.push(structuredClone(this.#top));
  }
  fail(): void {
    if (this.isOpen) this.#hasFailed = true;
  }
  rollbackTo(): void {
    this.#levels.pop();
    this.push();
    this.#hasFailed = false;
  }
  end(isCommit: boolean): void {
    const [base] = this.#levels;
    const lasting = isCommit && !this.#hasFailed ? this.#top.lasting : (base?.lasting ?? this.initial);
    this.#levels = [{ shown: { ...lasting }, lasting: { ...lasting } }];
    this.#hasFailed = false;
  }

  get #top(): Level {
    const top = this.#levels.at(-1);
    if (!top) throw new Error('The model has no level');
    return top;
  }
}

type Change = { kind: 'set' | 'local' | 'config' | 'bound' | 'do'; name: Setting; choice: number };
type Action =
  | Change
  | { kind: 'begin' | 'commit' | 'rollback' | 'savepoint' | 'rollbackTo' | 'fail' | 'reset' | 'pause' };

const choice = fc.nat(2);
const name = fc.constantFrom(...settings);
const change = fc.record({ kind: fc.constantFrom('set', 'local', 'config', 'bound', 'do'), name, choice });
const other = fc.record({
  kind: fc.constantFrom('begin', 'commit', 'rollback', 'savepoint', 'rollbackTo', 'fail', 'reset', 'pause'),
});
const script = fc.array(fc.oneof(change, other), { minLength: 3, maxLength: 14 }) as fc.Arbitrary<Action[]>;
const session = fc.record({
  user: fc.constantFrom('lena', 'omar', 'postgres'),
  initial: fc.constantFrom({}, { statement_timeout: '3min' }, { 'app.who': 'initial', work_mem: '7MB' }),
  script,
});

const quote = (text: string) => pg.escapeLiteral(text);
const assignment = (setting: Setting, value: string) =>
  setting === 'search_path' ? `${setting} = ${value}` : `${setting} = ${quote(value)}`;

/** The statement of an action, applied to the model; undefined if it is not possible in the current state. */
function statementOf(action: Action, model: Model): pg.QueryConfig | undefined {
  if ('name' in action) return changeOf(action, model);
  const { kind } = action;
  const isPossible = {
    begin: !model.isOpen,
    commit: model.isOpen,
    rollback: model.isOpen,
    savepoint: model.isOpen && !model.hasFailed,
    rollbackTo: model.isSaved,
    fail: !model.hasFailed,
    // Inside a transaction RESET shows the server's value until the end.
    reset: !model.isOpen,
    pause: !model.hasFailed,
  }[kind];
  if (!isPossible) return undefined;
  if (kind === 'begin' || kind === 'savepoint') model.push();
  if (kind === 'commit' || kind === 'rollback') model.end(kind === 'commit');
  if (kind === 'rollbackTo') model.rollbackTo();
  if (kind === 'fail') model.fail();
  if (kind === 'reset') for (const each of settings) model.set(each, resetValue(each, model), false);
  const texts = {
    savepoint: 'savepoint s',
    rollbackTo: 'rollback to s',
    fail: 'select 1 / 0',
    reset: 'reset all',
    pause: 'select 1',
  };
  return { text: kind in texts ? texts[kind as keyof typeof texts] : kind };
}

const resetValue = (setting: Setting, model: Model) => model.initial[setting];

function changeOf({ kind, name: setting, choice: index }: Change, model: Model): pg.QueryConfig | undefined {
  if (model.hasFailed || (kind === 'local' && !model.isOpen)) return undefined;
  const value = values[setting][index % values[setting].length] ?? '';
  model.set(setting, value, kind === 'local');
  if (kind === 'bound') return { text: 'select set_config($1, $2, $3)', values: [setting, value, false] };
  return {
    text: {
      set: `set ${assignment(setting, value)}`,
      local: `set local ${assignment(setting, value)}`,
      config: `select set_config(${quote(setting)}, ${quote(value)}, false)`,
      do: `do $$ begin perform set_config(${quote(setting)}, ${quote(value)}, false); end $$`,
    }[kind],
  };
}

const show = `select session_user::text as user, current_user::text as acting, ${settings
  .map((setting) => `coalesce(current_setting('${setting}', true), '') as "${setting}"`)
  .join(', ')}`;

let server: Server;

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(() => server?.stop());

async function play({
  user,
  initial,
  script: actions,
}: {
  user: string;
  initial: Partial<Values>;
  script: Action[];
}) {
  const options = Object.entries(initial).map(([setting, value]) => `-c ${setting}=${value}`);
  const client = new pg.Client({ connectionString: server.urlOf(user), options: options.join(' ') });
  const model = new Model(initial);
  await client.connect();
  try {
    for (const action of [...actions, { kind: 'commit' } as const]) {
      const statement = statementOf(action, model);
      if (!statement) continue;
      await client.query(statement).catch((error) => expect(error).toMatchObject({ code: '22012' }));
      if (model.hasFailed) continue;
      const { rows } = await client.query(show);
      expect(rows).toEqual([{ user, acting: user, ...model.shown }]);
    }
  } finally {
    await client.end();
  }
}

it('the embedded database never mixes roles and settings of clients, however their statements interleave', async () => {
  const law = fc.asyncProperty(fc.array(session, { minLength: 2, maxLength: 5 }), async (sessions) => {
    const outcomes = await Promise.allSettled(sessions.map(play));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  });
  await fc.assert(law, { numRuns: 40 });
}, 120_000);
