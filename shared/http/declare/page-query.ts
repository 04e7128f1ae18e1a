import { z } from 'zod';
import type { FieldError } from '../../kernel/errors.ts';

type Contents = { method: string; returns: readonly [number, unknown]; alsoReturns?: readonly string[] };

/** True for an operation whose only content is HTML. */
export const isPage = ({ method, returns, alsoReturns }: Contents): boolean =>
  method === 'GET' && returns[1] === null && alsoReturns?.join() === 'text/html';

type WithQuery = { query: Record<string, string>; faults: readonly FieldError[] };

/**
 * Removes unknown parameters and their faults. Other programs append parameters to the addresses of pages, for example
 * `utm_source`, and pages ignore them.
 */
export function withKnownQuery<Raw extends WithQuery>(raw: Raw, query: z.ZodType | undefined): Raw {
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  return {
    ...raw,
    query: Object.fromEntries(Object.entries(raw.query).filter(([name]) => known.includes(name))),
    faults: raw.faults.filter(({ pointer }) => !pointer.startsWith('?') || known.includes(pointer.slice(1))),
  };
}
