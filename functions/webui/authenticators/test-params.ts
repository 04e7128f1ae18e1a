import { z } from 'zod';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { fieldErrors } from '../../../shared/http/declare/field-errors.ts';
import { isReadable, unreadableParams } from '../../../shared/identity/domains/attributes.ts';
import type { DirectoryParams, DomainType } from '../../../shared/identity/domains/catalogue.ts';
import { directoryChecks, readParams } from '../../../shared/identity/domains/checks.ts';
import { type FieldError, invalid } from '../../../shared/kernel/errors.ts';
import {
  type Detail,
  inLanguage,
  joined,
  message,
  type Text,
  verbatim,
} from '../../../shared/messages/message.ts';
import type { WebuiCtx } from '../deps.ts';
import { keptSecret, notReadable, type Stored, withoutReadOnly } from './params.ts';
import { ownFields } from './schema.ts';
import type { TestBody, TestResult } from './test-shapes.ts';

type Body = z.output<typeof TestBody>;
type StoredDomain = Stored & { id: string; name: string; small_name: string };
export type Check = Omit<z.input<typeof TestResult>['checks'][number], 'detail'> & { detail: Text };
/** The parts of a domain as they were found, and what there is to go on with. */
export type Examined = {
  checks: Check[];
  directory: DirectoryParams | undefined;
  stored: StoredDomain | undefined;
  /** As the domain has it sealed, when no other was sent. */
  keptPassword: string | null;
};
/** What a check found: faults, or a sentence that says why there is nothing to check. */
type Found = FieldError[] | Text;

/**
 * Says of each part of a domain's fields whether it could be saved, without asking the network.
 * @throws AppError `invalid_request` for an `id` that is not of such a domain, `secret_required`
 */
export async function testParams(
  ctx: WebuiCtx,
  type: DomainType,
  body: Body,
): Promise<z.input<typeof TestResult>> {
  const { checks } = await examine(ctx, type, body);
  const success = isGood(checks);
  return resultOf(ctx, checks, success ? 'The parameters are valid' : 'Some parameters are not valid');
}

/** The result in the language of its reader. */
export const resultOf = (
  { language }: WebuiCtx,
  checks: readonly Check[],
  summary: Detail,
): z.input<typeof TestResult> => ({
  success: isGood(checks),
  message: inLanguage(summary, language),
  checks: checks.map((check) => ({ ...check, detail: inLanguage(check.detail, language) })),
});

export const isGood = (checks: readonly Check[]): boolean => checks.every(({ status }) => status !== 'fail');

/** The checks that need no network. @throws AppError as `testParams` */
export async function examine(ctx: WebuiCtx, type: DomainType, body: Body): Promise<Examined> {
  const stored = body.id === undefined ? undefined : await storedDomain(ctx, type, body.id);
  const { directory, faults } = readParams(type, withoutReadOnly(body.params));
  const isSent = !directory || directory.bind_password !== null;
  const keptPassword = isSent ? null : keptSecret(directory, stored);
  const hasPassword = keptPassword !== null || (directory?.bind_password ?? null) !== null;
  const parts = [
    { name: 'fields', run: () => ownFaults(type, body) },
    { name: 'params', run: () => faults },
    ...directoryChecks.map(({ name, run }) => ({
      name,
      run: () => (directory ? run(directory, hasPassword, ctx.deps.outbound) : absence(type)),
    })),
    {
      name: 'attributes',
      run: () => (directory ? unreadable(ctx, type, directory, stored) : absence(type)),
    },
  ];
  const checks = parts.map(({ name, run }) => timed(ctx, name, run));
  return { checks, directory, stored, keptPassword };
}

async function storedDomain(ctx: WebuiCtx, type: DomainType, id: string): Promise<StoredDomain> {
  const row = await findDomain(ctx.deps.db, id);
  if (row?.type === type) return row;
  throw invalid({ pointer: '/id', code: 'not_found', detail: 'No domain of this type has this identifier' });
}

/** Also those that are stored: a write keeps them, and only a test shows that they are outside the list. */
const unreadable = (
  { parameters }: WebuiCtx,
  type: DomainType,
  directory: DirectoryParams,
  stored: (StoredDomain & { attributes?: readonly { source: string }[] }) | undefined,
): FieldError[] => [
  ...unreadableParams(type, directory, parameters).map(notReadable),
  ...(stored?.attributes ?? [])
    .filter(({ source }) => !isReadable(type, source, parameters))
    .map(
      ({ source }): FieldError => ({
        pointer: '/attributes',
        code: 'not_allowed',
        detail: message('Reading {attribute} is not allowed', { attribute: source }),
      }),
    ),
];

const absence = (type: DomainType): Detail =>
  type === 'internal' ? 'An internal domain has no directory' : 'Correct the parameters first';

/** The members that every domain has, as far as they are given. */
function ownFaults(type: DomainType, body: Body): FieldError[] {
  const given = { ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) };
  const faults = Object.entries(ownFields).flatMap(([name, { shape }]) =>
    Object.hasOwn(given, name)
      ? fieldErrors(z.object({ [name]: shape }).safeParse(given, { reportInput: true }).error, '/')
      : [],
  );
  const isOther = given.type !== undefined && given.type !== type;
  return isOther
    ? [...faults, { pointer: '/type', code: 'different', detail: 'Must be the type of the tested domain' }]
    : faults;
}

function timed(ctx: WebuiCtx, name: string, run: () => Found): Check {
  const start = ctx.deps.clock().getTime();
  const found = run();
  const took_ms = ctx.deps.clock().getTime() - start;
  if (!Array.isArray(found)) return { name, status: 'skipped', detail: found, took_ms };
  const detail = joined(
    found.map((fault) => joined([verbatim(`${fault.pointer}: `), fault.detail], '')),
    '; ',
  );
  return { name, status: found.length === 0 ? 'pass' : 'fail', detail, took_ms };
}
