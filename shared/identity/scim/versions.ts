import { AppError } from '../../kernel/errors.ts';

type Versioned = { revision: number; created_at: Date; updated_at: Date };

/** The version of a resource, as in the header ETag. It is weak (RFC 7644, 3.14), because attributes can be left out. */
export const versionOf = ({ revision }: Pick<Versioned, 'revision'>): string => `W/"${revision}"`;

export const metaOf = (resourceType: 'User' | 'Group', row: Versioned, location: string) => ({
  resourceType,
  created: row.created_at.toISOString(),
  lastModified: row.updated_at.toISOString(),
  location,
  version: versionOf(row),
});

/**
 * Compares the version with `If-Match`. RFC 7644 (3.14) uses weak tags there, so they count as strong.
 * @throws AppError `precondition_failed`
 */
export function assertVersion(ifMatch: string | undefined, row: Pick<Versioned, 'revision'>): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.includes(`"${row.revision}"`)) throw new AppError('precondition_failed');
}
