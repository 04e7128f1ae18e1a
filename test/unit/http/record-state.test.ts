import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedValues } from '../../../db/repositories/audit/record-history.ts';
import { stateAt } from '../../../shared/http/records/history/state.ts';

type Values = Record<string, unknown>;
/** A write of some members; an unrecorded one has no event. */
type Write = { members: string[]; isRecorded: boolean };

const names = ['a', 'b', 'c', 'd'];
const member = fc.constantFrom(...names);
const writes = fc.array(
  fc.record<Write>({
    members: fc.uniqueArray(member, { minLength: 1 }),
    isRecorded: fc.boolean(),
  }),
  { maxLength: 8 },
);

type Event = { changes: { field: string; before: unknown; after: unknown }[]; state: Values };

/** The events of a record, each with the state after it, and the present state. Each write sets new values. */
function run(created: string[], all: Write[]): { events: Event[]; present: Values } {
  const state: Values = Object.fromEntries(names.map((name) => [name, null]));
  const events: Event[] = [];
  const write = (members: string[], n: number, isRecorded: boolean) => {
    const changes = members.map((field) => ({ field, before: state[field], after: `${field}${n}` }));
    for (const { field, after } of changes) state[field] = after;
    if (isRecorded) events.push({ changes, state: { ...state } });
  };
  write(created, 0, true);
  for (const [at, { members, isRecorded }] of all.entries()) write(members, at + 1, isRecorded);
  return { events, present: state };
}

/** What the statement of a version returns. */
function recordedAt(events: readonly Event[], at: number, isCreated = true): RecordedValues {
  const later: RecordedValues['later'] = {};
  const earlier: RecordedValues['earlier'] = {};
  for (const [place, { changes }] of events.entries())
    for (const { field, before, after } of changes) {
      if (place <= at) earlier[field] = { value: after, isOwn: place === at };
      else if (!Object.hasOwn(later, field)) later[field] = before;
    }
  return { later, earlier, isCreated };
}

const created = fc.uniqueArray(member, { minLength: 1 });

describe('the state of a record at a version', () => {
  it('is that of its time if all changes are recorded', () => {
    fc.assert(
      fc.property(created, writes, (first, all) => {
        const recorded = all.map((write) => ({ ...write, isRecorded: true }));
        const { events, present } = run(first, recorded);
        for (const [at, { state }] of events.entries())
          expect(stateAt(present, recordedAt(events, at))).toEqual({
            values: state,
            absent: [],
            uncertain: {},
          });
      }),
    );
  });

  it('has no wrong value whichever changes are not recorded', () => {
    fc.assert(
      fc.property(created, writes, (first, all) => {
        const { events, present } = run(first, all);
        for (const [at, { state }] of events.entries()) {
          const { values, absent, uncertain } = stateAt(present, recordedAt(events, at));
          expect(state).toMatchObject(values);
          const every = [...Object.keys(values), ...absent, ...Object.keys(uncertain)];
          expect(every.sort()).toEqual(names);
        }
      }),
    );
  });

  it('is the same after retention has removed older events', () => {
    fc.assert(
      fc.property(created, writes, fc.nat(8), (first, all, removed) => {
        const recorded = all.map((write) => ({ ...write, isRecorded: true }));
        const { events, present } = run(first, recorded);
        const left = events.slice(removed);
        for (const [at, { state }] of left.entries())
          expect(stateAt(present, recordedAt(left, at, removed === 0)).values).toEqual(state);
      }),
    );
  });

  it('compares secrets within an object by whether they are set', () => {
    const masked = { host: 'a', key: '***', key_set: true };
    const shown = { host: 'a', key: null, key_set: true };
    const recorded = { later: {}, earlier: { params: { value: masked, isOwn: false } }, isCreated: true };
    expect(stateAt({ params: shown }, recorded)).toEqual({
      values: { params: shown },
      absent: [],
      uncertain: {},
    });
  });
});
