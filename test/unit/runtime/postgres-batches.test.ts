import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { BatchReader } from '../../../shared/tooling/embedded/protocol/batches.ts';
import { messageOf, query, sync } from '../../../shared/tooling/embedded/protocol/messages.ts';

const reader = () => new BatchReader('c7_', (verb, channel) => `notify ${verb}_${channel}`);
const parse = (name: string, text: string) => messageOf('P', `${name}\0${text}\0\0\0`);
const bind = (portal: string, name: string, value = '') =>
  messageOf(
    'B',
    Buffer.concat([
      Buffer.from(`${portal}\0${name}\0\0\0\0\x01`),
      lengthOf(value),
      Buffer.from(`${value}\0\0`),
    ]),
  );
const lengthOf = (value: string) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value.length);
  return bytes;
};
const execute = (portal: string) => messageOf('E', `${portal}\0\0\0\0\0`);
const textsOf = (batch: { steps: { message: Buffer }[] } | undefined) =>
  batch?.steps.map(({ message }) => message.toString('latin1', 5).split('\0')[0]);

it('a batch ends at Query, Sync, Flush and FunctionCall, and prepared statements get a prefix', () => {
  const batches = reader();
  expect(batches.add(parse('one', 'select 1'))).toBeUndefined();
  expect(batches.add(messageOf('D', 'Sone\0'))).toBeUndefined();
  const flushed = batches.add(messageOf('H'));
  expect([flushed?.end, textsOf(flushed)]).toEqual(['H', ['c7_one', 'Sc7_one', '']]);
  expect(batches.add(bind('', 'one'))).toBeUndefined();
  expect(batches.add(execute(''))).toBeUndefined();
  const synced = batches.add(sync);
  expect([synced?.end, synced?.steps.length]).toEqual(['S', 3]);
  expect(synced?.steps[0]?.message.includes('c7_one')).toBe(true);
  expect(batches.add(query('select 2'))).toMatchObject({ end: 'Q', steps: [{ notifyTags: [] }] });
  expect(batches.statements).toEqual(['c7_one']);
  batches.add(messageOf('C', 'Sone\0'));
  expect([batches.add(sync)?.steps.length, batches.statements]).toEqual([2, []]);
});

it('a batch has the effects of a prepared statement when it is executed', () => {
  const batches = reader();
  batches.add(parse('set', 'select set_config($1, $2, false)'));
  batches.add(parse('listen', 'listen News'));
  batches.add(sync);
  expect(batches.add(query('select 1'))).toMatchObject({ listens: [], changesSettings: { session: false } });
  batches.add(bind('p', 'listen'));
  batches.add(bind('', 'set', 'App.Who'));
  batches.add(execute('p'));
  batches.add(execute(''));
  const batch = batches.add(sync);
  expect(batch).toMatchObject({ listens: ['news'], changesSettings: { session: true } });
  expect(batch?.steps.map(({ notifyTags }) => notifyTags)).toEqual([[], [], ['LISTEN'], [], []]);
  expect([...batches.takeCustomNames()]).toContain('app.who');
});

it('the names of customised options are found, quoted or not, also beside a megabyte of letters', () => {
  const batches = reader();
  batches.add(
    query(`set app.Who = '${'a'.repeat(1_000_000)}'; set "B"."C" = 1; set "d.e" to 2; reset f.g.h`),
  );
  expect([...batches.takeCustomNames()].sort()).toEqual(['app.who', 'b.c', 'd.e', 'f.g.h']);
  expect(batches.takeCustomNames().size).toBe(0);
});

it('a message that ends within a text is rejected', () => {
  expect(() => reader().add(messageOf('Q', 'select 1'))).toThrow('a text without its end');
  expect(() => reader().add(messageOf('B', 'portal'))).toThrow('a text without its end');
});
