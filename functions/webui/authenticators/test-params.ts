import { z } from 'zod';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import type { Check, DomainType, Settings } from '../../../shared/identity/domains/domain-type.ts';
import { type DomainTypeName, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { readSettings, reusableSecrets } from '../../../shared/identity/domains/settings.ts';
import { type FieldError, invalid } from '../../../shared/kernel/errors.ts';
import { type Detail, inLanguage, joined, type Text, verbatim } from '../../../shared/messages/message.ts';
import { fieldErrors } from '../../../shared/shapes/field-errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { ownFields } from './schema.ts';
import type { TestBody, TestResult } from './test-shapes.ts';

type Body = z.output<typeof TestBody>;
type Row = NonNullable<Awaited<ReturnType<typeof findDomain>>>;
/** The checked parts of a domain, and the data for a connection test. */
export type Examined = {
  checks: Check[];
  params: Settings | undefined;
  stored: Row | undefined;
  /** Stored secrets, still encrypted, that are used because the request has none. */
  storedSecrets: Record<string, string | null>;
};
/** Result of a check: errors, or a reason why there is nothing to check. */
type CheckOutcome = FieldError[] | Text;

/**
 * Checks without network access whether the fields of a domain are valid.
 * @throws AppError `invalid_request` for an `id` of another type or an unknown one, `secret_required`
 */
export async function testParams(
  ctx: WebuiCtx,
  type: DomainTypeName,
  body: Body,
): Promise<z.input<typeof TestResult>> {
  const { checks } = await examine(ctx, type, body);
  const success = isGood(checks);
  return resultOf(ctx, checks, success ? 'The parameters are valid' : 'Some parameters are not valid');
}

/** The result in the language of the caller. */
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
export async function examine(ctx: WebuiCtx, name: DomainTypeName, body: Body): Promise<Examined> {
  const type = domainTypeOf(name);
  const stored = body.id === undefined ? undefined : await storedDomain(ctx, name, body.id);
  const { params, faults } = readSettings(type, body.params);
  const storedSecrets = params ? reusableSecrets(type, params, stored) : {};
  const parts = [
    { name: 'fields', run: () => ownFaults(name, body) },
    { name: 'params', run: () => faults },
    ...checksOf(ctx, type, params, { stored, storedSecrets }),
  ];
  const checks = parts.map((part) => timed(ctx, part.name, part.run));
  return { checks, params, stored, storedSecrets: storedSecrets };
}

/**
 * The checks of the type. Stored attributes are checked as well: writes keep them, so only a test shows that
 * reading them is no longer allowed.
 */
const checksOf = (
  { deps, parameters }: WebuiCtx,
  { settings }: DomainType,
  params: Settings | undefined,
  { stored, storedSecrets }: { stored: Row | undefined; storedSecrets: Record<string, string | null> },
): { name: string; run: () => CheckOutcome }[] =>
  settings.checks.map((check) => ({
    name: check.name,
    run: () =>
      params
        ? check.run(params, {
            hasSecret: (name) => params[name] != null || storedSecrets[name] != null,
            policy: deps.outbound,
            parameters,
            tolerated: {},
            attributes: stored?.attributes ?? [],
          })
        : 'Correct the parameters first',
  }));

async function storedDomain(ctx: WebuiCtx, type: DomainTypeName, id: string): Promise<Row> {
  const row = await findDomain(ctx.deps.db, id);
  if (row?.type === type) return row;
  throw invalid({ pointer: '/id', code: 'not_found', detail: 'No domain of this type has this identifier' });
}

/** The common fields of all domains that the request contains. */
function ownFaults(type: DomainTypeName, body: Body): FieldError[] {
  const sentMembers = {
    ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
  };
  const faults = Object.entries(ownFields).flatMap(([name, { shape }]) =>
    Object.hasOwn(sentMembers, name)
      ? fieldErrors(z.object({ [name]: shape }).safeParse(sentMembers, { reportInput: true }).error, '/')
      : [],
  );
  const isOther = sentMembers.type !== undefined && sentMembers.type !== type;
  return isOther
    ? [...faults, { pointer: '/type', code: 'different', detail: 'Must be the type of the tested domain' }]
    : faults;
}

function timed(ctx: WebuiCtx, name: string, run: () => CheckOutcome): Check {
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
