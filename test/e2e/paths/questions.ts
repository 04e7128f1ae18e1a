import type { Seeded } from '../twins/twins.ts';

/** One question; an administrator asks it with success unless told otherwise. */
export type Question = {
  path: string;
  method?: string;
  who?: keyof Seeded['tokens'] | 'nobody';
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
};

export const one = (path: string, who: NonNullable<Question['who']> = 'admin'): Question[] => [{ path, who }];

/** A list whole, from its other end a page at a time, and with nothing in it. */
export const list = (path: string, sort = '-created_at'): Question[] => [
  { path: `${path}?count=exact` },
  { path: `${path}?limit=1&sort=${sort}` },
  { path: `${path}?search=nothing-has-this-name` },
];
