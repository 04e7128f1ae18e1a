import type { Change } from '../requests.ts';

/** A version of a record, as its history lists it. */
export type Version = {
  version: string;
  at: string;
  actor: string | null;
  user: string | null;
  domain: string | null;
  action: 'created' | 'updated' | 'deleted' | 'restored';
  changes: Change[];
};
