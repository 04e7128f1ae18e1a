import type { Setting } from './domain-fields.ts';

export type Params = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function valueAt(params: Params, path: readonly string[]): unknown {
  let value: unknown = params;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * The settings with a new value. Only members of the form are kept, because the API returns further ones for reading. A
 * group without values is null.
 * @param isEdit an emptied setting is null, so that the stored one is removed; in a new domain it is left out
 */
export function withValue(
  settings: readonly Setting[],
  params: Params,
  change: { path: readonly string[]; value: unknown },
  isEdit: boolean,
): Params {
  const result: Record<string, unknown> = {};
  for (const { path, field } of settings) {
    const isChanged = path.join('.') === change.path.join('.');
    const value = isChanged ? change.value : valueAt(params, path);
    // A secret is not returned; without a new value the stored one stays.
    const isKept = field.type === 'secret' && isNothing(value) && !isChanged;
    if (isKept || (isNothing(value) && !isEdit)) continue;
    place(result, path, isNothing(value) && !field.isMany ? null : value);
  }
  for (const [name, value] of Object.entries(result))
    if (isObject(value) && Object.values(value).every(isNothing)) result[name] = null;
  return result;
}

function place(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = isObject(into[name]) ? { ...into[name] } : {};
  place(inner, rest, value);
  into[name] = inner;
}

/** The faults at a setting and at its entries. */
export function faultOf(faults: ReadonlyMap<string, string>, place: string): string | undefined {
  const own = [...faults].filter(([at]) => at === place || at.startsWith(`${place}/`));
  return own.length === 0 ? undefined : own.map(([, text]) => text).join('\n');
}
