import type { Seeded } from '../twins/twins.ts';

/** One request; an administrator sends it with success by default. */
export type Question = {
  path: string;
  method?: string;
  who?: keyof Seeded['tokens'] | 'anonymous';
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
};

export const one = (path: string, who: NonNullable<Question['who']> = 'admin'): Question[] => [{ path, who }];

/** A complete list, in reverse order page by page, and an empty one. */
export const list = (path: string, sort = '-created_at'): Question[] => [
  { path: `${path}?count=exact` },
  { path: `${path}?limit=1&sort=${sort}` },
  { path: `${path}?search=nothing-has-this-name` },
];
