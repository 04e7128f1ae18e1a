import type { z } from 'zod';
import type { Db } from '../../../db/client.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Sealer } from '../../kernel/crypto/sealing.ts';
import type { FieldError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Parameters } from '../../kernel/system-parameters.ts';
import type { Detail, Text } from '../../messages/message.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';
import type { Transport } from '../../remotes/http/transport.ts';
import type { KdcTrust } from '../../remotes/kerberos/kdc-signature.ts';
import type { KdcRemote } from '../../remotes/kerberos/transport.ts';
import type { Candidate, CheckedPassword, LoginCtx, OpenAttempt, Proof } from '../login/account.ts';
import type { Fields, Words } from './fields.ts';
import type { Registration } from './registration.ts';
import type { Support } from './support.ts';

/** Settings of a domain, by the names of their members. */
export type Settings = Record<string, unknown>;

/**
 * A stored domain. `params` contains no secrets. `secrets` are encrypted, null for a secret that is not set.
 * `directory_authority` is the identity of its directory, `other_directory` that of one that its servers show instead.
 */
export type StoredDomain = {
  id: string;
  name: string;
  small_name: string;
  params: Settings;
  secrets: Readonly<Record<string, string | null>>;
  directory_authority: string | null;
  other_directory: string | null;
};

/** Remotes and stores that an operation of a domain type may use. */
export type DomainDeps = { db: Db; sealer: Sealer; clock: Clock; directories: DirectoryRemote };

/**
 * A type of authentication domains. Code outside of this folder uses these members and never compares the name of a
 * type. A new type is a folder with one such value, and a line in `registry.ts`.
 */
export type DomainType<P extends Settings = Settings> = {
  about: About;
  supports: Support;
  settings: DomainSettings<P>;
  login: LoginFlow;
  /** The addresses that the provider must know. Undefined if the type has no provider. */
  registration?(domain: { id: string; params: P }, baseUrl: string): Registration;
  /** A key with which the portal authenticates to the provider. Undefined if the type does not support it. */
  ownKey?: OwnKey<P>;
  /** Undefined if the type has no server to connect to. */
  test: ConnectionTest | undefined;
  /** Logins with a smart card (Kerberos PKINIT). Undefined if the type does not support them. */
  cards: CardLogin | undefined;
  /** Attributes that can be copied to users at login. Undefined if the type does not support copies. */
  attributes: AttributeSource | undefined;
  /** Users and groups outside of the portal that can be searched. Undefined if the type has no directory. */
  directory: DirectoryOperations | undefined;
  /** How an administrator assigns a user to a person of the provider. Undefined if the portal stores the accounts. */
  binding: Binding | undefined;
};

/** Display texts of a type. */
type About = {
  name: Words;
  /** Additional description of the type in the API document. */
  hint?: string;
  description: Words;
  label_username: Words;
  label_groupname: Words;
  label_password: Words;
};

/**
 * The name of a member of `params` that is stored encrypted and never returned. The database finds secrets by this
 * suffix.
 */
export type SecretName = `${string}_password` | `${string}_secret`;

type DomainSettings<P extends Settings = Settings> = {
  /** The form: labels, help texts, controls and defaults. */
  fields: Fields;
  /** Shape of the settings in requests. */
  shape: z.ZodObject;
  /** Shape of the settings in responses: each secret is null, with `<secret>_set` beside it. */
  view: z.ZodObject;
  secrets: readonly SecretName[];
  checks: readonly SettingsCheck<P>[];
  /** The authority that the identifiers of people belong to: the issuer of a provider. Undefined if the type has none. */
  authority?(params: Settings): string;
  /** Where the portal reads the keys of the authority: sessions end if it changes. Undefined if the type has none. */
  voucher?(params: Settings): string;
  /**
   * True if a stored secret that is absent from the request remains valid for these settings. False removes it.
   * @param stored the settings that it was stored with
   * @throws AppError `secret_required` if the secret would be sent to another destination
   */
  keepsSecrets(next: P, stored: Settings): boolean;
};

/** A check of settings without the network. */
export type SettingsCheck<P extends Settings = Settings> = {
  name: string;
  /** Reported by tests only. The domain can be saved regardless of the result. */
  advisory?: true;
  /** @returns the faults, or the reason why the check does not apply */
  run(params: P, facts: CheckFacts): FieldError[] | Detail;
};

export type CheckFacts = {
  hasSecret(name: SecretName): boolean;
  policy: UrlPolicy;
  parameters: Parameters;
  /** Stored settings that are accepted if unchanged. */
  tolerated: Settings;
  /** Stored attributes to copy, which are checked as well. */
  attributes: readonly { source: string }[];
};

/**
 * The authentication of a user of the domain. `names` is the interpretation of a typed name: `as_typed`, or
 * `in_directory` for `name`, `name@suffix` and `DOMAIN\name`.
 */
type LoginFlow = PasswordLogin | RedirectLogin;

type PasswordLogin = {
  proof: 'password';
  names: NameReading;
  /** @throws AppError `overloaded`, `password_expired`, `no_registered_group`, errors of the provider; audited */
  prove(
    ctx: LoginCtx,
    attempt: OpenAttempt,
    candidate: Candidate,
    password: string,
  ): Promise<CheckedPassword>;
};

/** The user authenticates on pages of the provider. The portal accepts no password. */
type RedirectLogin = { proof: 'redirect'; names: NameReading };

/** @property isUsed whether the portal authenticates with its key, according to the settings */
type OwnKey<P extends Settings = Settings> = { isUsed(params: P): boolean };

export type NameReading = 'as_typed' | 'in_directory';

/** The holder of a smart card: the name, the UPN if the card has one, and the fingerprint of its key. */
export type CardHolder = { username: string; upn: string | undefined; fingerprint: string };

type CardLogin = {
  /** The realm in stored settings; undefined if the domain has none. */
  realmOf(params: Settings): Realm | undefined;
  /**
   * The account of a card that the KDC has accepted.
   * @param graceH hours after a verified login in which the same card is accepted while the provider is unreachable
   */
  prove(
    ctx: LoginCtx,
    attempt: OpenAttempt,
    candidate: Candidate,
    holder: CardHolder,
    graceH: number,
  ): Promise<Proof | undefined>;
};

/** The Kerberos realm behind a domain. */
export type Realm = {
  name: string;
  /** The KDCs resolve user principal names of any suffix (RFC 6806, 5). This is the case in Active Directory. */
  resolvesUpns: boolean;
  kdcs: readonly string[];
  /** Time limit in milliseconds for all KDCs together. */
  deadlineMs: number;
  trust: KdcTrust;
  /** Hours after a verified login in which the same card is accepted while the directory is unreachable. 0: never. */
  cardWithoutDirectoryH: number;
};

export type AttributeSource = {
  /** True if an attribute may be copied to users. */
  isReadable(attribute: string, parameters: Parameters): boolean;
};

/**
 * A group of a directory. `sid` exists in Active Directory only. If only the SID is known, the other members are empty.
 */
export type ExternalGroup = { dn: string; name: string; sid?: string };

/** A user or group of a directory without a row in the portal. */
export type Unregistered = { type: 'user' | 'group'; dn: string; name: string };

/** All operations throw the AppErrors of the directory. */
type DirectoryOperations = {
  /** Users and groups whose name contains a text and that have no row in the portal. */
  findUnregistered(deps: DomainDeps, domain: StoredDomain, search: string): Promise<Unregistered[]>;
  findGroups(deps: DomainDeps, domain: StoredDomain, search: string): Promise<ExternalGroup[]>;
  /** The immutable identifier of a group; undefined if it has none. */
  findGroupId(deps: DomainDeps, domain: StoredDomain, dn: string): Promise<string | undefined>;
};

/** The person has the name of the user in the directory, or the administrator enters the identifier of the person. */
type Binding = BindingByName | BindingBySubject;

type BindingByName = {
  by: 'name';
  /**
   * The immutable identifiers of the user with a name, the preferred one first.
   * @throws AppError `invalid_state` with the reason `no_entry`, errors of the directory
   */
  identifiersOf(
    deps: DomainDeps,
    domain: StoredDomain,
    name: string,
  ): Promise<readonly [string, ...string[]]>;
};

type BindingBySubject = {
  by: 'subject';
  /** The tenants of a provider for several of them, one of which a person belongs to. Empty for other providers. */
  tenantsOf(params: Settings): readonly string[];
  /** The issuer that vouches for the people of a tenant, or for all people without one. */
  issuerOf(params: Settings, tenant: string | undefined): string;
};

/**
 * Connects with settings that may not be stored yet, and runs the steps of a login.
 * @throws AppError `overloaded`; other errors of the provider are checks that failed
 */
type ConnectionTest = (ctx: TestCtx, subject: TestSubject) => Promise<Check[]>;

export type TestCtx = { deps: DomainDeps & { kdcs: KdcRemote; transport: Transport; log: Log }; now: Date };

export type TestSubject = {
  params: Settings;
  stored: StoredDomain | undefined;
  /** Stored secrets that remain in use because the request contains no replacement. Encrypted. */
  storedSecrets: Readonly<Record<string, string | null>>;
  /** The names of the domain that a typed login name may contain. */
  labels: readonly string[];
  username: string | undefined;
  password: string | undefined;
};

/** One step of a test. */
export type Check = {
  name: string;
  status: 'pass' | 'fail' | 'skipped';
  detail: Text;
  took_ms: number;
};
