import type { Sealer } from '../../kernel/crypto/sealing.ts';
import { type FieldError, invalid } from '../../kernel/errors.ts';
import type { Parameters } from '../../kernel/system-parameters.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';
import { fieldErrors } from '../../shapes/field-errors.ts';
import type { CheckFacts, DomainType, SecretName, Settings, StoredDomain } from './domain-type.ts';
import { domainTypes } from './registry.ts';

/** Stored settings without secrets, and the encrypted secrets. */
export type StoredSettings = Pick<StoredDomain, 'params' | 'secrets'>;

/** Settings in two forms: `shown` for the audit, `columns` for the table. */
export type Settled = { shown: Settings; columns: { params: Settings } };

type Place = { sealer: Sealer; outbound: UrlPolicy; parameters: Parameters };

const masked = '***';

/** The secrets of all types. */
export const secretNames: readonly SecretName[] = [
  ...new Set(Object.values(domainTypes).flatMap(({ settings }: DomainType) => settings.secrets)),
];

/** The name of the member that shows whether a secret is stored. */
export const flagOf = (secret: SecretName): string => `${secret}_set`;

/** Parses the settings of a request with the shape of the type. Members that exist in responses only are ignored. */
export function readSettings(
  { settings: { shape, secrets } }: DomainType,
  settings: Settings,
): { params: Settings | undefined; faults: FieldError[] } {
  const flags = new Set(secrets.map(flagOf));
  const written = Object.fromEntries(Object.entries(settings).filter(([name]) => !flags.has(name)));
  const { data, error } = shape.safeParse(written, { reportInput: true });
  return { params: data, faults: fieldErrors(error, '/').map(inParams) };
}

const inParams = ({ pointer, ...rest }: FieldError): FieldError => ({
  ...rest,
  pointer: `/params${pointer}`,
});

/**
 * The settings of a domain after a write. A secret that is absent from the request remains stored if the type allows
 * it.
 * @param id of the domain
 * @throws AppError `invalid_request` if the type or the address policy does not allow the settings; `secret_required`
 */
export async function settleSettings(
  { sealer, outbound, parameters }: Place,
  id: string,
  type: DomainType,
  given: Settings,
  stored?: StoredSettings,
): Promise<Settled> {
  const { params, faults } = readSettings(type, given);
  if (!params) throw invalid(...faults);
  assertAllowed(type, params, {
    hasSecret: (name) => params[name] != null,
    policy: outbound,
    parameters,
    tolerated: stored?.params ?? {},
    attributes: [],
  });
  const reused = reusableSecrets(type, params, stored);
  const shown = { ...params };
  const columns = { ...params };
  for (const name of type.settings.secrets) {
    const sent = params[name];
    const isSent = typeof sent === 'string';
    const place = { table: 'authenticators', row: id, column: `params.${name}` };
    const sealed = isSent ? await sealer.seal(sent, place) : (reused[name] ?? null);
    columns[name] = sealed;
    shown[name] = isSent ? masked : null;
    shown[flagOf(name)] = sealed !== null;
  }
  return { shown, columns: { params: columns } };
}

/**
 * The stored secrets that remain in use with new settings, encrypted; null for a secret that is removed.
 * @throws AppError `secret_required`
 */
export function reusableSecrets(
  { settings }: DomainType,
  next: Settings,
  stored: StoredSettings | undefined,
): Record<string, string | null> {
  const present = settings.secrets.flatMap((name) => {
    const sealed = stored?.secrets[name] ?? null;
    return sealed === null || next[name] != null ? [] : [[name, sealed] as const];
  });
  if (!stored || present.length === 0) return {};
  const keeps = settings.keepsSecrets(next, stored.params);
  return Object.fromEntries(present.map(([name, sealed]) => [name, keeps ? sealed : null]));
}

function assertAllowed({ settings }: DomainType, params: Settings, facts: CheckFacts): void {
  const results = settings.checks.filter(({ advisory }) => !advisory).map(({ run }) => run(params, facts));
  const faults = results.flatMap((result) => (typeof result === 'string' ? [] : result));
  if (faults.length > 0) throw invalid(...faults);
}
