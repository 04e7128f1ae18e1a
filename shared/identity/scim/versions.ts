import { AppError } from '../../kernel/errors.ts';
import { issuedTags } from '../../kernel/http/entity-tags.ts';

type Versioned = { revision: number; created_at: Date; updated_at: Date };

/**
 * The version of a resource, as in the header ETag. It is weak (RFC 7644, 3.14), because attributes can be left out.
 * @param groups changes with the groups of a user, which have revisions of their own
 */
const versionOf = ({ revision }: Pick<Versioned, 'revision'>, groups: string): string =>
  `W/"${revision}${groups && `.${groups}`}"`;

export const metaOf = (resourceType: 'User' | 'Group', row: Versioned, location: string, groups = '') => ({
  resourceType,
  created: row.created_at.toISOString(),
  lastModified: row.updated_at.toISOString(),
  location,
  version: versionOf(row, groups),
});

/**
 * Compares the version with `If-Match`. RFC 7644 (3.14) uses weak tags there, so they count as strong. The groups of a user do
 * not count, because a write does not change them.
 * @throws AppError `precondition_failed`
 */
export function assertVersion(ifMatch: string | undefined, row: Pick<Versioned, 'revision'>): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const revisions = issuedTags(ifMatch).map((tag) => /^"(\d+)(?:\.[\w-]+)?"$/.exec(tag)?.[1]);
  if (!revisions.includes(String(row.revision))) throw new AppError('precondition_failed');
}
