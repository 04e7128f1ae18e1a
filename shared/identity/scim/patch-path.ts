import type { AttributePath, Filter } from '../../../db/repositories/identity/scim/filter.ts';
import type { Work } from '../../kernel/concurrency/work.ts';
import { attributePath, disjunction } from './filter.ts';
import { Scanner } from './scanner.ts';

/** The target of an operation: an attribute, some of its values, or a member of either. */
export type PatchPath = AttributePath & { values?: Filter };

/**
 * Parses the path of an operation (RFC 7644, 3.5.2).
 * @throws AppError `invalid_request` with the keyword `invalidPath`
 */
export function parsePath(text: string, work: Work): PatchPath {
  // The characters of a token, on average.
  work.spend(1 + Math.ceil(text.length / 4));
  const scanner = new Scanner(text, 'invalidPath');
  const path: PatchPath = attributePath(scanner);
  if (scanner.takes('[')) {
    path.values = disjunction(scanner, 0);
    scanner.expect(']');
    const member = scanner.take('member');
    if (member !== undefined) path.sub = member.slice(1);
  }
  if (!scanner.isAtEnd) throw scanner.refusal();
  return path;
}
