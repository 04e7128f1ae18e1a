import type { Schema } from '../../../shared/http/document/schemas.ts';
import { jsonLimits } from '../../../shared/kernel/json/scan.ts';
import type { Registered } from '../../contract/generated/described.ts';
import { bodySchemaOf } from '../../contract/generated/ground.ts';
import { placesOf } from '../../contract/generated/hostile.ts';
import { fullest } from './fullest.ts';
import { pictures } from './pictures.ts';

/** `write` returns another text of the same kind each time, with new member names. */
export type BodyCase = { name: string; write: () => string };

const { members, names, values } = jsonLimits;
const repeated = (text: string, room: number): string =>
  text.repeat(Math.max(0, Math.floor(room / Buffer.byteLength(text))));
const string = (unit: string) => (room: number) => `"${repeated(unit, room - 2)}"`;
const list = (item: string, most: number) => (room: number) =>
  `[${Array(Math.min(most, Math.floor((room - 2) / (item.length + 1))))
    .fill(item)
    .join()}]`;

let used = 0;
const newName = (): string => `"${((++used * 2_654_435_761) % 2 ** 32).toString(36)}"`;

/** Objects with this many members each, and this many orders of their names in all. */
const objects = (each: number, orders: number) => (room: number) => {
  const own = Array.from({ length: Math.max(each, Math.floor(orders / each)) }, newName);
  const one = (at: number) =>
    `{${Array.from({ length: each }, (_, n) => `${own[(at + n) % own.length]}:0`).join()}}`;
  const count = Math.min(
    Math.floor((values - 20) / (each + 1)),
    Math.floor((room - 2) / (one(0).length + 4)),
  );
  return `[${Array.from({ length: count }, (_, at) => one(at % Math.max(1, Math.floor(orders / each)))).join()}]`;
};

/** The largest value of each kind within this many bytes and the limits of JSON. */
const texts: Record<string, (room: number) => string> = {
  'combining marks': string('\u0345\u0301'),
  spaces: string(' '),
  'dotted words': string('a.'),
  'an address': string('a@a.'),
};
const structures: Record<string, (room: number) => string> = {
  'elements: numbers': list('0', values - 10),
  'elements: empty objects': list('{}', values - 10),
  'members: one an object': objects(1, names - 100),
};
/** Their cost does not depend on their position. */
const anywhere: Record<string, (room: number) => string> = {
  ...texts,
  ...structures,
  'pairs of surrogates': string('\u{1f600}'),
  escapes: string('\\u4e00'),
  digits: (room) => repeated('1', room),
  'elements: texts that cannot be stored': list('"\\u0000"', values - 10),
  'members: 10 an object': objects(10, names - 100),
  'members: 100 an object': objects(100, names - 100),
  'members: 1,000 an object': objects(members - 10, members),
  levels: (room) =>
    repeated(`${'['.repeat(29)}${']'.repeat(29)},`, Math.min(room, 35_000)).replace(/^(.*),$/, '[$1]'),
};

/**
 * The most expensive bodies of an operation: each kind of value at the limits, in every position of the body and as an
 * unknown member; and a valid body with all optional members.
 */
export function* casesOf(operation: Registered, body: object, limit: number): Generator<BodyCase> {
  const schema = bodySchemaOf(operation);
  const stranger = (json: string) =>
    `${JSON.stringify(body).slice(0, -1)}${isEmpty(body) ? '' : ','}"no_such_member":${json}}`;
  yield* filled('/no_such_member', stranger, anywhere, limit);
  yield* within('everything', () => JSON.stringify({ ...asObject(fullest(schema)), ...body }), limit);
  const places = placesOf(schema, body).filter(({ pointer }) => pointer !== '');
  for (const { pointer, schema: own, text } of places) {
    const types = typesOf(own);
    if (types.includes('array') || types.includes('object')) yield* filled(pointer, text, structures, limit);
    if (types.includes('string')) yield* filled(pointer, text, texts, limit);
    if (!isPicture(own)) continue;
    for (const [name, uri] of Object.entries(pictures))
      yield* within(`${pointer} ${name}`, () => text(JSON.stringify(uri)), limit);
  }
  yield* ofSeveralPictures(
    places.filter((place) => isPicture(place.schema)).map(({ pointer }) => pointer.slice(1)),
    body,
    limit,
  );
}

/** Images are parsed sequentially within one request. */
function* ofSeveralPictures(pointers: readonly string[], body: object, limit: number): Generator<BodyCase> {
  if (new Set(pointers).size < 2) return;
  for (const [name, uri] of Object.entries(pictures))
    yield* within(
      `${pointers.length} times ${name}`,
      () => JSON.stringify({ ...body, ...Object.fromEntries(pointers.map((one) => [one, uri])) }),
      limit,
    );
}

const isPicture = (schema: Schema): boolean => JSON.stringify(schema).includes('data:image');
const optionsOf = ({ anyOf = [], oneOf = [] }: { anyOf?: Schema[]; oneOf?: Schema[] }): Schema[] => [
  ...Object.values(anyOf),
  ...Object.values(oneOf),
];
const typesOf = (schema: Schema): unknown[] => [schema, ...optionsOf(schema)].flatMap(({ type }) => type);
const isEmpty = (body: object): boolean => Object.keys(body).length === 0;
const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

function* within(name: string, write: () => string, limit: number): Generator<BodyCase> {
  if (Buffer.byteLength(write()) <= limit) yield { name, write };
}

function* filled(
  pointer: string,
  text: (json: string) => string,
  kinds: typeof texts,
  limit: number,
): Generator<BodyCase> {
  const room = limit - Buffer.byteLength(text(''));
  if (room < 1_000) return;
  for (const [name, make] of Object.entries(kinds))
    yield { name: `${pointer} ${name}`, write: () => text(make(room)) };
}
