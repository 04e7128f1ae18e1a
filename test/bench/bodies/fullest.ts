import { randomUUID } from 'node:crypto';
import { componentOf, exampleOf } from '../../../shared/http/document/examples.ts';
import type { Schema } from '../../../shared/http/document/schemas.ts';
import { document } from '../../contract/generated/described.ts';

const components: Record<string, Schema> = document.components.schemas;
const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** A value that matches a schema with the maximum content: all members, full lists, long texts. */
export function fullest(schema: Schema): unknown {
  const name = componentOf(schema);
  if (name !== undefined) return fullest(components[name] ?? {});
  const options = Object.values((schema.anyOf ?? schema.oneOf ?? []) as Schema[]);
  const [option] = options
    .filter(({ type }) => type !== 'null')
    .map(fullest)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (option !== undefined) return option;
  if (schema.type === 'object') return Object.fromEntries(membersOf(schema));
  if (schema.type === 'array') {
    const count = Math.min(Number(schema.maxItems ?? 100), 1_000);
    return Array.from({ length: count }, () => fullest(asSchema(schema.items)));
  }
  if (schema.format === 'uuid') return randomUUID();
  const isFree = schema.type === 'string' && schema.format === undefined && schema.pattern === undefined;
  if (isFree && schema.enum === undefined && typeof schema.maxLength === 'number')
    return '\u4e00'.repeat(Math.min(schema.maxLength, 16_384));
  return exampleOf(schema, components);
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

const membersOf = ({ properties }: Schema): [string, unknown][] =>
  Object.entries(asSchema(properties)).map(([name, member]) => [name, fullest(asSchema(member))]);
