import type { z } from 'zod';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { changeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import type { AttributeSource } from '../../../shared/identity/domains/domain-type.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { AppError, conflict, invalid, notFound } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { message } from '../../../shared/messages/message.ts';
import type { WebuiCtx } from '../deps.ts';
import { authenticatorCrud } from './record.ts';
import type { AttributeChange } from './schema.ts';

const { kind } = authenticatorCrud;
type Change = z.output<typeof AttributeChange>;
type Attribute = { name: string; source: string; title: string };

const mostAttributes = 100;

/**
 * Adds, changes or deletes an attribute that is copied to users at login. Attributes grant no access, so the
 * caller needs no permissions of the users.
 * @throws AppError `invalid_request` for a source that must not be read, `invalid_state` for a domain without a
 *   directory, `already_exists`, `not_found`
 */
export function changeAttribute(ctx: WebuiCtx, at: Target, change: Change): Promise<Answer> {
  return changeRecord(ctx, kind, at, (row) => {
    const { attributes: source } = domainTypeOf(row.type);
    if (!source) throw conflict('no_directory', 'The domain has no directory');
    const attributes = become(row.attributes, change);
    assertReadable(ctx, source, row.attributes, attributes);
    return {
      body: writableOf(kind, row),
      columns: { params: undefined, attributes },
      changes: [{ field: 'attributes', before: row.attributes, after: attributes }],
    };
  });
}

function become(present: readonly Attribute[], { action, name, source, title }: Change): Attribute[] {
  const isThis = (other: Attribute): boolean => foldName(other.name) === foldName(name);
  const known = present.find(isThis);
  if (action === 'delete') {
    if (!known) throw notFound();
    return present.filter((attribute) => !isThis(attribute));
  }
  if (action === 'change') {
    if (!known) throw notFound();
    const changed = {
      ...known,
      ...(source !== undefined && { source: source ?? name }),
      ...(title !== undefined && { title: title ?? '' }),
    };
    return present.map((attribute) => (isThis(attribute) ? changed : attribute));
  }
  if (known) throw taken();
  if (present.length >= mostAttributes) {
    throw invalid({
      pointer: '/name',
      code: 'too_many',
      detail: message('Must have at most {n} attributes', { n: mostAttributes }),
    });
  }
  return [...present, { name, source: source ?? name, title: title ?? '' }];
}

/** Every caller who can read users sees the copy, so sources are restricted. Stored sources remain valid. */
function assertReadable(
  { parameters }: WebuiCtx,
  source: AttributeSource,
  attributes: readonly Attribute[],
  next: readonly Attribute[],
): void {
  const present = new Set(attributes.map((attribute) => attribute.source));
  const isAllowed = (attribute: Attribute) =>
    present.has(attribute.source) || source.isReadable(attribute.source, parameters);
  if (next.every(isAllowed)) return;
  const detail = 'This attribute must not be read; add it to `directory.extra_attributes` to allow it';
  throw invalid({ pointer: '/source', code: 'not_allowed', detail });
}

const taken = (): AppError =>
  new AppError('already_exists', undefined, {
    errors: [{ pointer: '/name', code: 'already_exists', detail: 'The value is already in use' }],
  });
