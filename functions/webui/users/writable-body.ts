import type { z } from 'zod';
import type { Support } from '../../../shared/identity/domains/support.ts';
import { type FieldError, invalid } from '../../../shared/kernel/errors.ts';
import type { UserWrite } from './schema.ts';

type Write = z.output<typeof UserWrite>;
type Present = { name: string; groups: readonly string[] };

/**
 * What can be written of a user in a domain of this type. The groups that each login reads anew stay as they are.
 * @param present the stored user; undefined for a new one
 * @throws AppError `invalid_request` for a password that the portal does not store, or another name in the directory
 */
export function writableBody({ ownPassword, refreshes }: Support, body: Write, present?: Present): Write {
  if (!ownPassword) assertNoPassword(body);
  if (present && refreshes.name) assertSameName(present, body);
  return refreshes.groups ? { ...body, groups: [...(present?.groups ?? [])] } : body;
}

function assertNoPassword(body: Write): void {
  const faults: FieldError[] = [];
  const detail = 'The passwords of this domain are stored in the directory';
  if (body.password !== null) faults.push({ pointer: '/password', code: 'not_allowed', detail });
  if (body.must_change_password)
    faults.push({ pointer: '/must_change_password', code: 'not_allowed', detail });
  if (faults.length > 0) throw invalid(...faults);
}

/** @throws AppError `invalid_request`: the directory determines the name of the user */
function assertSameName(row: Present, body: Write): void {
  if (body.name === row.name) return;
  throw invalid({
    pointer: '/name',
    code: 'immutable',
    detail: 'The name of a directory user cannot be changed here',
  });
}
