import { z } from 'zod';
import type { FieldError } from '../kernel/errors.ts';
import { message } from '../messages/message.ts';
import { Instant } from './fields.ts';

/** Keywords of a parameter that is a bound of the values of a member. Pages offer both bounds as one filter. */
const lower = 'x-lower-bound-of';
const upper = 'x-upper-bound-of';

const most = 1e12;

/** An integer in a query. Only digits are accepted. */
const Bound = z.preprocess(
  (text) => (typeof text === 'string' && /^-?\d{1,13}$/.test(text) ? Number(text) : text),
  z.int().min(-most).max(most),
);

const OptionalBound = Bound.optional().meta({ example: 10 });
const OptionalInstant = Instant.optional();

type Bounds<Name extends string, Type> = Record<Name, Type>;

/** Filters by times: `<member>_from`, inclusive, and `<member>_to`, exclusive. */
export const timeRanges = <Member extends string>(...members: readonly Member[]) =>
  Object.fromEntries(
    members.flatMap((member) => [
      [
        `${member}_from`,
        lowerBoundOf(member).describe(`Only items with \`${member}\` at or after this time.`),
      ],
      [`${member}_to`, upperBoundOf(member).describe(`Only items with \`${member}\` before this time.`)],
    ]),
  ) as Bounds<`${Member}_from` | `${Member}_to`, typeof OptionalInstant>;

/** The lower bound of a time, for a parameter with a name of its own. */
export const lowerBoundOf = (member: string) => OptionalInstant.meta({ [lower]: member });

/** The upper bound of a time, for a parameter with a name of its own. */
export const upperBoundOf = (member: string) => OptionalInstant.meta({ [upper]: member });

/** Filters by integers: `<member>_min` and `<member>_max`, both inclusive. */
export const numberRanges = <Member extends string>(...members: readonly Member[]) =>
  Object.fromEntries(
    members.flatMap((member) => [
      [
        `${member}_min`,
        OptionalBound.meta({ [lower]: member }).describe(
          `Only items whose \`${member}\` is at least this number, in the unit of the member.`,
        ),
      ],
      [
        `${member}_max`,
        OptionalBound.meta({ [upper]: member }).describe(
          `Only items whose \`${member}\` is at most this number, in the unit of the member.`,
        ),
      ],
    ]),
  ) as Bounds<`${Member}_min` | `${Member}_max`, typeof OptionalBound>;

/** The member whose values a parameter bounds. */
export function boundedBy(parameter: unknown): string | undefined {
  const meta = parameter instanceof z.ZodType ? parameter.meta() : undefined;
  const member = meta?.[lower] ?? meta?.[upper];
  return typeof member === 'string' ? member : undefined;
}

/** Names of the parameters of a range. */
type Pair = { low: string; high: string };

const pairs = new WeakMap<z.ZodObject, readonly Pair[]>();

function pairsOf(query: z.ZodObject): readonly Pair[] {
  const known = pairs.get(query);
  if (known) return known;
  const parameters = Object.entries(query.shape as Record<string, z.ZodType>);
  const found = parameters.flatMap(([low, parameter]) => {
    const member = parameter.meta()?.[lower];
    const other = parameters.find(([, one]) => member !== undefined && one.meta()?.[upper] === member);
    return other ? [{ low, high: other[0] }] : [];
  });
  pairs.set(query, found);
  return found;
}

/** An error for each range of a valid query that ends before it begins. */
export function reversedRanges(query: z.ZodType | undefined, values: unknown): FieldError[] {
  if (!(query instanceof z.ZodObject)) return [];
  const given = values as Readonly<Record<string, string | number | undefined>>;
  return pairsOf(query).flatMap(({ low, high }) => {
    const [least, greatest] = [given[low], given[high]];
    const isReversed = least !== undefined && greatest !== undefined && least > greatest;
    return isReversed
      ? [
          {
            pointer: `?${high}`,
            code: 'custom',
            detail: message('Must not be less than `{name}`', { name: low }),
          },
        ]
      : [];
  });
}
