import type { PatchOperation } from '../../../shared/identity/scim/patch.ts';

/** The dimensions in which a PATCH of a user can be large within the limits of size. */
export type PatchShape = {
  operations: number;
  /** Addresses of one operation. */
  values: number;
  /** Conditions of one path. */
  conditions: number;
  /** Characters of one text. */
  text: number;
  /** Different addresses in each operation. */
  isFresh: boolean;
  /** Addresses that the first operation gives the user. */
  present: number;
  target: 'emails' | 'emails.type' | 'emails[].type' | 'members without a path';
};

/** A thousand operations are the limit of a request. */
export const mostPatches = 1_000;

const conditionsOf = (count: number, text: number): string =>
  Array.from({ length: Math.max(1, count) }, (_, at) => `value co "${'x'.repeat(text)}${at}"`).join(' or ');

export const addresses = (count: number, name = 'a') =>
  Array.from({ length: count }, (_, at) => ({ value: `${name}${at}@example.com`, type: 'work' }));

/** The operations of a shape. */
export function patchOfShape(shape: PatchShape): PatchOperation[] {
  const path = `emails[${conditionsOf(shape.conditions, shape.text)}]`;
  const one = (at: number): PatchOperation => {
    switch (shape.target) {
      case 'emails': {
        const name = `${'x'.repeat(shape.text)}${shape.isFresh ? `${at}-` : ''}`;
        return { op: 'add', path: 'emails', value: addresses(shape.values, name) };
      }
      case 'emails.type':
        return { op: 'replace', path: 'emails.type', value: 'x'.repeat(shape.text) };
      case 'emails[].type':
        return { op: 'replace', path: `${path}.type`, value: 'x'.repeat(shape.text) };
      case 'members without a path':
        return { op: 'replace', value: { [path]: 'x' } };
    }
  };
  const first: PatchOperation[] =
    shape.present > 0 ? [{ op: 'replace', path: 'emails', value: addresses(shape.present) }] : [];
  return [...first, ...Array.from({ length: shape.operations - first.length }, (_, at) => one(at))];
}

const base: PatchShape = {
  ...{ operations: mostPatches, values: 1, conditions: 1, text: 1, isFresh: false, present: 0 },
  target: 'emails',
};

/** Shapes that needed seconds to minutes before work had a limit, by what makes them expensive. */
export const worstPatches: Readonly<Record<string, PatchShape>> = {
  'the same addresses, again and again': { ...base, values: 30 },
  'other addresses each time': { ...base, isFresh: true },
  'many addresses at once': { ...base, operations: 1, values: 20_000 },
  'conditions over many addresses': { ...base, present: 100, conditions: 180, target: 'emails[].type' },
  'one value for a member of many addresses': { ...base, present: 100, target: 'emails.type' },
  'long paths': { ...base, conditions: 180, target: 'emails[].type' },
  'long names of attributes without a path': { ...base, conditions: 180, target: 'members without a path' },
};

/** The widest values of each dimension. */
export const widest: Readonly<Record<'operations' | 'values' | 'conditions' | 'text' | 'present', number>> = {
  operations: mostPatches,
  values: 100,
  conditions: 180,
  text: 900,
  present: 100,
};
