import fc from 'fast-check';
import {
  type AttributePath,
  compareOperators,
  type Filter,
  type FilterValue,
} from '../../../../db/repositories/identity/scim/filter.ts';
import { isStorable } from '../../../../shared/kernel/text.ts';

const name = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,8}$/)
  .filter((text) => !/^(?:not|and|or)$/i.test(text));
const schema = fc.constantFrom('urn:ietf:params:scim:schemas:core:2.0:User', 'URN:example:a-b.c:1.0:X');

/** Operators are names as well. */
const anyName = fc.oneof({ weight: 9, arbitrary: name }, fc.constantFrom('eq', 'Co', 'pr', 'lt'));

const path: fc.Arbitrary<AttributePath> = fc.record(
  { schema, name: anyName, sub: fc.oneof(name, fc.constant('$ref')) },
  { requiredKeys: ['name'] },
);
const value: fc.Arbitrary<FilterValue> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).filter(isStorable),
  fc.constantFrom('"', '\\', ' and ', ') or (', '\n', '\u2028', 'ß', 'İ'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
  fc.constant(null),
);

/** Any filter whose comparisons are of the given kind, without chains of a single part. */
export const filters = (
  plain: fc.Arbitrary<Filter>,
  values: (part: fc.Arbitrary<Filter>) => fc.Arbitrary<Filter>,
) =>
  fc.letrec<{ any: Filter }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      plain,
      values(plain),
      fc.record({ kind: fc.constant('not' as const), part: tie('any') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(tie('any'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  })).any;

const plain: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('present' as const), path }),
  fc.record({
    kind: fc.constant('compare' as const),
    path,
    operator: fc.constantFrom(...compareOperators),
    value,
  }),
);

export const anyFilter = filters(plain, (part) =>
  fc.record({ kind: fc.constant('values' as const), path, part }),
);
