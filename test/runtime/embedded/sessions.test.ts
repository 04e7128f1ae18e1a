import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  postgresBinaries,
  type Server,
  type Step,
  startPair,
  transcribe,
} from '../../support/database/pair.ts';
import { requireService } from '../../support/services.ts';

const lena = (config = {}): Step => ({ client: 'lena', connect: { user: 'lena', ...config } });
const omar = (config = {}): Step => ({ client: 'omar', connect: { user: 'omar', ...config } });
/** Another session of the same role. */
const locker: Step = { client: 'omar', connect: { user: 'lena' } };
const by = (client: string, ...statements: string[]): Step[] => statements.map((run) => ({ client, run }));
const finish = (client: string): Step => ({ client, finish: true });
const notes = (client: string): Step => ({ client, notifications: true });

const whoAmI = `select session_user, current_user, current_setting('is_superuser')`;
const showLimits = `select current_setting('statement_timeout'), current_setting('lock_timeout')`;

/** Each script runs on both servers. The line must be among the results, so that every script has an effect. */
const scripts: [title: string, steps: Step[], line: string][] = [
  [
    'roles of two clients',
    [
      ...[lena(), omar(), ...by('lena', whoAmI, 'create table mine (n int)', 'select * from notes')],
      ...by('omar', whoAmI, 'select * from mine', 'select * from notes', 'create table other (n int)'),
      ...by('lena', 'grant select on mine to omar'),
      ...by('omar', 'select * from mine', 'drop table mine'),
      ...by('lena', `select tableowner from pg_tables where tablename = 'mine'`, 'drop table mine'),
    ],
    'omar: ERROR 42501',
  ],
  [
    'roles that may not connect',
    [
      { client: 'a', connect: { user: 'nobody_knows' } },
      { client: 'b', connect: { user: 'guest' } },
      { client: 'c', connect: { user: 'lena', database: 'elsewhere' } },
    ],
    'a: FATAL 28000',
  ],
  [
    'settings that the server refuses at connect',
    [
      '-c nothing=1',
      '-c statement_timeout=abc',
      '-c log_statement=all',
      '-c lock_timeout',
      '-x 1',
      '-c session_authorization=postgres',
      '-c max_connections=10',
      '-c lock_timeout=-5',
    ].map((options, index) => ({ client: `c${index}`, connect: { user: 'lena', options } })),
    'c1: FATAL 22023',
  ],
  [
    'settings of the startup message',
    [
      lena({ statement_timeout: 7000, lock_timeout: 900, application_name: 'portal' }),
      omar({
        options: '-c statement_timeout=1min -clock_timeout=2s --search-path="a\\ b",public -c app.who=omar',
      }),
      ...by('lena', showLimits, 'show application_name', 'show idle_in_transaction_session_timeout'),
      ...by('omar', showLimits, 'show search_path', `select current_setting('app.who')`),
      ...by('lena', showLimits, `select coalesce(current_setting('app.who', true), '')`),
    ],
    `omar: [["SELECT",[["1min","2s"]]]]`,
  ],
  [
    'SET, RESET and SET TO DEFAULT',
    [
      ...[lena({ statement_timeout: 7000 }), omar(), ...by('lena', `set lock_timeout = '3s'`)],
      ...by('omar', showLimits, `set statement_timeout = 50000`),
      ...by('lena', showLimits, 'set statement_timeout = 0', showLimits),
      ...by('omar', showLimits, 'reset statement_timeout', showLimits),
      ...by('lena', showLimits, 'reset statement_timeout', showLimits, 'set statement_timeout = 1'),
      ...by('lena', 'set statement_timeout to default', showLimits, 'reset all', showLimits),
      ...by('omar', showLimits, 'set nothing = 1', 'set work_mem = 1', 'set log_statement = all'),
    ],
    `lena: [["SELECT",[["7s","3s"]]]]`,
  ],
  [
    'SET LOCAL, and SET that is rolled back',
    [
      ...[lena(), omar(), ...by('lena', 'begin', `set local lock_timeout = '1s'`, showLimits, 'commit')],
      ...by('lena', showLimits, 'begin', `set lock_timeout = '2s'`, showLimits, 'rollback', showLimits),
      ...by('lena', 'begin', `set lock_timeout = '3s'`, 'savepoint s', `set lock_timeout = '4s'`),
      ...by('lena', 'rollback to s', showLimits, 'commit', showLimits),
      ...by('omar', showLimits, `begin; set lock_timeout = '5s'; select 1 / 0`, 'commit', showLimits),
      ...by('lena', showLimits, `set lock_timeout = '6s'; select 1 / 0`, showLimits),
    ],
    `lena: [["SELECT",[["0","3s"]]]]`,
  ],
  [
    'set_config, with bound values and in a DO block',
    [
      ...[
        lena(),
        omar(),
        { client: 'lena', run: 'select set_config($1, $2, $3)', values: ['app.who', 'me', false] },
      ],
      { client: 'lena', run: 'select set_config($1, $2, $3)', values: ['statement_timeout', '8s', false] },
      ...by(
        'omar',
        `select current_setting('statement_timeout'), nullif(current_setting('app.who', true), '')`,
      ),
      ...by(
        'omar',
        `do $$ begin perform set_config('lock_timeout', '9s', false); set app.who = 'omar'; end $$`,
      ),
      ...by('lena', showLimits, `select current_setting('app.who')`),
      ...by('omar', showLimits, `select current_setting('app.who')`),
      ...by(
        'lena',
        `begin; select set_config('app.who', 'local', true)`,
        'show app.who',
        'commit',
        'show app.who',
      ),
    ],
    `omar: [["SELECT",[["omar"]]]]`,
  ],
  [
    'settings that change how values are written',
    [
      ...[lena(), omar(), ...by('lena', `set timezone = 'Asia/Tokyo'`, `set datestyle = 'German'`)],
      ...by('omar', `select timestamptz '2026-01-02 03:04:05Z'::text`, 'set bytea_output = escape'),
      ...by('lena', `select timestamptz '2026-01-02 03:04:05Z'::text, '\\x00ff'::bytea::text`),
      ...by('omar', `select '\\x00ff'::bytea::text`, `set standard_conforming_strings = off`),
      ...by('lena', `select 'a\\b'`, `set search_path = pg_temp, "a b", public`, 'show search_path'),
      ...by('omar', `select E'a\\\\b'`, `set search_path = public`),
      ...by('lena', 'show search_path', `select length('a\\b')`),
    ],
    `lena: [["SELECT",[["02.01.2026 12:04:05 JST","\\\\x00ff"]]]]`,
  ],
  [
    'a role that an ordinary client wants to become',
    [
      ...[lena(), ...by('lena', 'set session authorization postgres', 'set role omar')],
      ...by('lena', `select set_config('session_authorization', 'postgres', false)`, whoAmI),
      ...by('lena', `do $$ begin execute 'set ' || 'session authorization postgres'; end $$`, whoAmI),
      ...by('lena', 'begin', 'select 1 / 0', 'rollback', 'set session authorization omar', whoAmI),
    ],
    'lena: ERROR 42501',
  ],
  [
    'a superuser that becomes another role',
    [
      ...[
        { client: 'root', connect: { user: 'postgres' } },
        lena(),
        ...by('root', whoAmI, 'set role omar', whoAmI),
      ],
      ...by('lena', whoAmI),
      ...by(
        'root',
        whoAmI,
        'select * from notes',
        'reset role',
        whoAmI,
        'set session authorization omar',
        whoAmI,
      ),
      ...by('lena', whoAmI),
      ...by('root', whoAmI, 'set session authorization postgres', whoAmI),
    ],
    `root: [["SELECT",[["postgres","omar","off"]]]]`,
  ],
  [
    'LISTEN and NOTIFY of two clients',
    [
      ...[lena(), omar(), ...by('lena', 'listen news', 'listen "Big News"', 'listen NEWS')],
      ...by(
        'omar',
        `notify news, 'one'`,
        `begin`,
        `notify news, 'undone'`,
        'rollback',
        `notify other, 'two'`,
      ),
      ...[
        notes('lena'),
        notes('omar'),
        ...by('omar', 'listen news', `select pg_notify('Big News', 'three')`),
      ],
      ...by('omar', 'begin', `notify news, 'four'`, `notify news, 'four'`),
      ...[...by('omar', 'commit'), notes('lena'), notes('omar')],
      ...by('lena', 'unlisten news', `notify news, 'five'; notify "Big News", 'six'`),
      ...[
        notes('lena'),
        notes('omar'),
        ...by('lena', 'unlisten *'),
        ...by('omar', `notify "Big News", 'seven'`),
      ],
      notes('lena'),
    ],
    'lena: news=one',
  ],
  [
    'LISTEN and UNLISTEN inside transactions',
    [
      ...[lena(), omar(), ...by('lena', 'begin', 'listen a', 'rollback', 'begin', 'listen b', 'savepoint s')],
      ...by('lena', 'unlisten b', 'listen c', 'rollback to s', 'listen d', `notify d, 'self'`, 'commit'),
      ...[notes('lena'), ...by('omar', `notify a; notify b; notify c; notify d`), notes('lena')],
      ...by('lena', 'begin', 'unlisten *', 'listen e', 'commit'),
      ...[
        ...by('omar', 'notify b; notify e'),
        notes('lena'),
        ...by('lena', 'begin', 'unlisten e', 'select 1 / 0'),
      ],
      ...[...by('lena', 'listen f', 'commit'), ...by('omar', 'notify e; notify f'), notes('lena')],
      ...by('lena', `begin; listen g; select 1; commit; listen h; select 'listen i; notify i'`),
      ...by('lena', `notify g, 'x'; unlisten g; notify g, 'y'; listen /* ; */ i -- ;\n;;notify i`),
      ...[notes('lena'), ...by('lena', 'listen', 'listen *', 'listen a b', 'unlisten "h"', 'notify h')],
      ...[
        notes('lena'),
        { client: 'lena', run: 'listen j', values: [] },
        ...by('omar', 'notify j'),
        notes('lena'),
      ],
    ],
    'lena: d=self',
  ],
  [
    'lock_timeout',
    [
      ...[lena({ lock_timeout: 100 }), locker, ...by('omar', 'begin', 'lock table notes')],
      ...by('lena', 'update notes set text = text', 'update notes set text = text'),
      ...by('omar', 'rollback', `set lock_timeout = '50ms'`),
      ...[...by('lena', 'begin', 'lock table notes'), ...by('omar', 'update notes set text = text')],
      { client: 'third', connect: { user: 'lena' } },
      ...[{ client: 'third', send: 'select * from notes' }, ...by('lena', 'commit'), finish('third')],
    ] as Step[],
    'lena: ERROR 55P03',
  ],
  [
    'statement_timeout',
    [
      ...[lena({ statement_timeout: 300 }), locker, ...by('omar', 'begin', 'lock table notes')],
      { client: 'lena', run: 'update notes set text = $1 where id = $2', values: ['two', 1] },
      { client: 'lena', run: 'update notes set text = $1 where id = $2', values: ['three', 1] },
      ...[
        ...by('omar', 'select text from notes', 'rollback'),
        ...by('lena', 'select text from notes', 'show statement_timeout'),
      ],
    ],
    'lena: ERROR 57014',
  ],
  [
    'a cancel request',
    [
      ...[lena(), locker, ...by('omar', 'begin', 'lock table notes')],
      ...[
        { client: 'lena', send: 'update notes set text = text' },
        { client: 'lena', cancel: true },
        finish('lena'),
      ],
      ...[...by('omar', 'rollback'), ...by('lena', 'update notes set text = text')],
    ] as Step[],
    'lena: ERROR 57014',
  ],
  [
    'idle_in_transaction_session_timeout',
    [
      ...[lena({ idle_in_transaction_session_timeout: 400 }), locker],
      ...by('lena', 'begin', `update notes set text = 'lost'`),
      ...[{ client: 'lena', closed: true }, ...by('omar', 'select text from notes', 'begin')],
      ...by('omar', `set local idle_in_transaction_session_timeout = '400ms'`),
      ...[
        { client: 'omar', closed: true },
        { client: 'third', connect: { user: 'lena' } },
      ],
      ...by('third', 'begin', 'set idle_in_transaction_session_timeout = 400', 'select 1 / 0'),
      ...by('third', 'rollback', 'set idle_in_transaction_session_timeout = 400', 'begin', 'select 1 / 0'),
      { client: 'third', closed: true },
    ] as Step[],
    'lena: FATAL 25P03',
  ],
];

requireService('postgresql', postgresBinaries !== undefined)('the sessions of the embedded database', () => {
  let servers: { embedded: Server; postgres: Server };

  beforeAll(async () => {
    servers = await startPair();
  });
  afterAll(() => Promise.all([servers?.embedded.stop(), servers?.postgres.stop()]));

  it.each(scripts)('answer like PostgreSQL: %s', async (_, steps, line) => {
    const expected = await transcribe(servers.postgres, steps);
    expect(expected).toContain(line);
    expect(await transcribe(servers.embedded, steps)).toEqual(expected);
  });
});
