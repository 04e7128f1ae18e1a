import { readFileSync } from 'node:fs';
import type { Json } from '../portal.ts';

type Type = { type: string; name?: string; element?: Type; types?: Type[] };
type Properties = Record<string, { type: Type; required?: true }>;
type Resource = { properties: Properties; definitions: Record<string, Properties> };

/** AWS's own specification of the resource types in the template; the file names its source. */
const { resources }: { resources: Record<string, Resource> } = JSON.parse(
  readFileSync(new URL('cloudformation-resources.json', import.meta.url), 'utf8'),
);

/** Violations of the specification in a template, a line each: unknown types and properties, wrong and missing ones. */
export const specificationFaults = (template: Json): string[] =>
  Object.entries<Json>(template.Resources).flatMap(([name, { Type, Properties = {} }]) => {
    const known = resources[Type];
    return known ? objectFaults(name, Properties, known.properties, known) : [`${name}: ${Type} is unknown`];
  });

/** Names of all dangling references. */
export function danglingReferences(template: Json): string[] {
  const { Parameters, Resources, Conditions } = template;
  const names = new Set([...Object.keys(Parameters), ...Object.keys(Resources)]);
  const isThere = (name: string): boolean => name.startsWith('AWS::') || names.has(name);
  const conditions = found(template, 'Fn::If').map(([condition]) => condition);
  const used = [
    ...found(template, 'Ref'),
    ...found(template, 'Fn::GetAtt').map(([name]) => name),
    ...found(template, 'Fn::Sub').flatMap((text: string) =>
      [...text.matchAll(/\$\{([\w:]+)[^}]*\}/g)].map(([, name = '']) => name),
    ),
  ];
  return [
    ...used.filter((name) => !isThere(name)),
    ...conditions.filter((name) => !Object.hasOwn(Conditions, name)),
  ];
}

/** The values of a member at any depth. */
function found(value: Json, member: string): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries<Json>(value).flatMap(([name, inner]) => [
    ...(name === member ? [inner] : []),
    ...found(inner, member),
  ]);
}

function objectFaults(at: string, value: Json, known: Properties, resource: Resource): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at}: not an object`];
  return [
    ...Object.keys(value).flatMap((name) => (known[name] ? [] : [`${at}.${name}: unknown`])),
    ...Object.entries(known).flatMap(([name, { type, required }]) => {
      if (value[name] === undefined) return required ? [`${at}.${name}: required`] : [];
      return faultsOf(`${at}.${name}`, value[name], type, resource);
    }),
  ];
}

const plain: Record<string, (value: Json) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  json: (value) => typeof value === 'object' || typeof value === 'string',
};

function faultsOf(at: string, value: Json, type: Type, resource: Resource): string[] {
  const [only, ...others] = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (only === 'Fn::If')
    return value[only].slice(1).flatMap((branch: Json) => faultsOf(at, branch, type, resource));
  // Its value is known when the stack is deployed.
  if (only !== undefined && others.length === 0 && /^(Ref$|Fn::)/.test(only)) return [];
  const check = composed[type.type];
  if (check) return check(at, value, type, resource);
  return plain[type.type]?.(value) ? [] : [`${at}: no ${type.type}`];
}

type Check = typeof faultsOf;

const composed: Record<string, Check> = {
  ref: (at, value, { name = '' }, resource) =>
    objectFaults(at, value, resource.definitions[name] ?? {}, resource),
  union: (at, value, { types = [] }, resource) => {
    const tried = types.map((one) => faultsOf(at, value, one, resource));
    return tried.some((faults) => faults.length === 0) ? [] : (tried[0] ?? []);
  },
  array: (at, value, { element }, resource) =>
    Array.isArray(value)
      ? value.flatMap((one, n) => faultsOf(`${at}[${n}]`, one, element ?? anything, resource))
      : [`${at}: not a list`],
  map: (at, value, { element }, resource) =>
    Object.entries<Json>(value).flatMap(([key, one]) =>
      faultsOf(`${at}.${key}`, one, element ?? anything, resource),
    ),
};
const anything: Type = { type: 'json' };
