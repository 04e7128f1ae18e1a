import type { Kind, Row } from '../kinds.ts';

/** A secret that an answer contains once. */
export type Issued = { label: string; value: string };

const secretNames = /(?:^|_)(?:token|secret|key)$/;

/** Secrets that the portal generated. They are in the answer to the write only. */
export const issuedIn = ({ columns }: Kind, row: Row): Issued[] =>
  Object.entries(row).flatMap(([name, value]) =>
    secretNames.test(name) && typeof value === 'string' && value !== ''
      ? [{ label: columns.find((column) => column.name === name)?.label ?? name, value }]
      : [],
  );
