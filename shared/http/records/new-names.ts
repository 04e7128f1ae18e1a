import { type FieldError, invalid } from '../../kernel/errors.ts';
import { isNameOfWork, isReservedUserName, isWithoutIgnorables } from '../../kernel/text.ts';
import type { Detail } from '../../messages/message.ts';
import { ignorablesDetail } from '../../shapes/fields.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Checks a name that a write creates or changes. Unchanged names and the names of directory groups are not checked,
 * because the directory assigns the latter.
 * @param type of the object
 * @param before the object before the change; absent at creation
 * @throws AppError `invalid_request` for a name with default-ignorable code points, or a reserved one
 */
export function assertNewName(type: string, { name, external_id }: Body, before?: Body): void {
  if (typeof name !== 'string' || name === before?.name) return;
  const faults: FieldError[] = [];
  if (typeof external_id !== 'string' && !isWithoutIgnorables(name))
    faults.push({ pointer: '/name', code: 'invalid_format', detail: ignorablesDetail });
  const reserved = type === 'user' ? reservedFor(name) : undefined;
  if (reserved) faults.push({ pointer: '/name', code: 'reserved', detail: reserved });
  if (faults.length > 0) throw invalid(...faults);
}

function reservedFor(name: string): Detail | undefined {
  if (isReservedUserName(name)) return 'This name is reserved for the portal on dispatchers';
  return isNameOfWork(name) ? 'The audit log gives this name to work without a user' : undefined;
}
