import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import { issuedTags, strongTag } from '../../kernel/http/entity-tags.ts';
import { canonicalJson } from '../../kernel/json/json.ts';

/** The preconditions of a request (RFC 9110, 13.1), as sent. */
export type Conditions = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined };

/** Returns `"<revision>.<digest>"`. The revision counts writes; the digest also changes with computed members. */
export const etagOf = (revision: number, body: unknown): string =>
  `"${revision}.${sha256(canonicalJson(body)).slice(0, 16)}"`;

/**
 * Compares only the revision with `If-Match`, because the result of a probe must not cause a conflict for an
 * administrator. The revision is read from weak tags as well (against RFC 9110, 13.1.1): a proxy that compresses makes
 * all tags weak.
 * @throws AppError `precondition_failed`
 */
export function assertMatches({ ifMatch }: Conditions, revision: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const revisions = issuedTags(ifMatch).map((tag) => /^"(\d+)\./.exec(tag)?.[1]);
  if (!revisions.includes(String(revision))) throw new AppError('precondition_failed');
}

/** Compares the whole tag with `If-None-Match`. Weak tags count as strong (RFC 9110, 13.1.2). */
export function isUnchanged({ ifNoneMatch }: Conditions, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = issuedTags(ifNoneMatch);
  return tags.includes('*') || tags.includes(strongTag(etag));
}
