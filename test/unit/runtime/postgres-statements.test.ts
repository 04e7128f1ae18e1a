import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../shared/tooling/embedded/protocol/statements.ts';

const rewritten = (verb: string, channel: string) => `<${verb} ${channel}>`;
const textOf = (text: string) => analyse(text, rewritten).text;
const changesOf = (text: string) => analyse(text, rewritten).changesSettings;

describe('LISTEN and UNLISTEN', () => {
  it.each([
    ['listen News', '<listen news>'],
    ['  LISTEN "News ""1""" ;', '  <listen News "1">;'],
    ['unlisten *', '<unlisten *>'],
    ['/* a /* b */ ; */listen x -- ;', '/* a /* b */ ; */<listen x>'],
    ['-- a\nlisten x;unlisten x', '-- a\n<listen x>;<unlisten x>'],
    [`select ';listen x;'; listen y`, `select ';listen x;'; <listen y>`],
    [`select e'\\';listen x', $$;listen x$$, $a$ $$;listen x; $a$;listen y`, undefined],
    ['select $1;listen y', 'select $1;<listen y>'],
    ['select a$b$c;listen y;select d$b$', 'select a$b$c;<listen y>;select d$b$'],
    ['select ";listen x" ; listen y', 'select ";listen x" ; <listen y>'],
    [`listen ${'x'.repeat(70)}`, `<listen ${'x'.repeat(63)}>`],
    ['listen ÄÖ', '<listen ÄÖ>'],
  ])('are found in %j', (text, expected) => {
    const last = text.replace(/listen y$/, '<listen y>');
    expect(textOf(text)).toBe(expected ?? last);
  });

  it.each([
    'listen',
    'listen *',
    'listen a b',
    `select 'listen x'`,
    'create table listen (x int)',
    `do $$ begin listen x; end $$`,
    `select 'it''s'';listen x;'`,
  ])('are not found in %j', (text) => {
    expect(textOf(text)).toBe(text);
  });

  it('keep their tags in order with those of NOTIFY', () => {
    const { notifyTags, listens } = analyse(
      'listen a; notify b; unlisten a; set x = 1; listen "B"',
      rewritten,
    );
    expect(notifyTags).toEqual(['LISTEN', 'NOTIFY', 'UNLISTEN', 'LISTEN']);
    expect(listens).toEqual(['a', 'B']);
  });

  it('are never found in a literal, a comment or an identifier, in any context', () => {
    const hidden = fc.constantFrom(
      `';listen x;'`,
      '$q$;listen x;$q$',
      '/*;listen x;*/',
      '--;listen x;\n',
      '";listen x;"',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hidden, fc.constantFrom('select ', '1', ',', ' ', '\n', 'do ', '"a"', `''''`))),
        (parts) => {
          expect(textOf(parts.join(' '))).toBe(parts.join(' '));
        },
      ),
    );
  });
});

describe('changed settings', () => {
  const none = { session: false, transaction: false };
  const local = { session: false, transaction: true };
  const both = { session: true, transaction: true };

  it.each([
    ['select 1', none],
    ['update t set a = 1', none],
    ['-- x\nupdate t\nset a = 1 where b in (select 1)', none],
    ['insert into t values (1) on conflict do nothing', none],
    [`select 'set x = 1; reset all'`, none],
    ['set x = 1', both],
    ['begin; SET x TO 1', both],
    ['set session characteristics as transaction read only', both],
    ['set local x = 1', local],
    ['set\nlocal x = 1; set transaction read only; set constraints all deferred', local],
    ['/* */ reset x', both],
    ['discard plans', none],
    ['do $$ begin end $$', both],
    ['call f()', both],
    ['execute p', both],
    [`select set_config('a', 'b', false)`, both],
    [`select set_config($1, $2, $3)`, both],
    [`select set_config('a', 'b', true)`, local],
    [`select set_config('a', 'b', true), SET_CONFIG('c', 'd', false)`, both],
    [`update pg_settings set setting = 'x' where name = 'y'`, both],
  ])('%j', (text, expected) => {
    expect(changesOf(text)).toEqual(expected);
  });
});

it.each([
  ['copy t from stdin', 'COPY FROM STDIN'],
  ['select 1; /* x */ COPY t (a, b)\nFROM STDIN with (format csv)', 'COPY FROM STDIN'],
  ['copy t from/**/stdin', 'COPY FROM STDIN'],
  ['discard all', 'DISCARD ALL'],
  ['DISCARD temp', 'DISCARD ALL and DISCARD TEMP'],
  ['deallocate prepare all', 'DEALLOCATE ALL'],
  ['close all', 'CLOSE ALL'],
])('%j is replaced by a statement that fails', (text, name) => {
  expect(textOf(text)).toMatch(/do \$\$ begin raise feature_not_supported .*\$\$$/);
  expect(textOf(text)).toContain(name);
});

it.each([
  'copy t to stdout',
  `copy t from '/dev/null'`,
  'deallocate x',
  'close c',
  'select stdin from copy',
])('%j is not replaced', (text) => {
  expect(textOf(text)).toBe(text);
});

it('reads a text of a megabyte in linear time, whatever it repeats', () => {
  for (const part of ['-', '\n', ' ', ';', "'", '$', '/*', 'set ', '$a$', 'update ', 'set_config(', '"']) {
    const text = `set x = 1 ${part.repeat(1_000_000 / part.length)}`;
    expect(analyse(text, rewritten).changesSettings.session).toBe(true);
  }
});
