import { Buffer } from 'node:buffer';
import type { z } from 'zod';
import { revokeOwnTokens } from '../../../db/repositories/identity/access-revocation.ts';
import { removeEndedOfPeers } from '../../../db/repositories/identity/login/peer-sessions.ts';
import { removeEnded } from '../../../db/repositories/identity/login/sessions.ts';
import { findOverrides, saveParameters } from '../../../db/repositories/settings/system-parameters.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { inItsLanguage } from '../../../shared/http/problem.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { assertMatches, type Conditions } from '../../../shared/http/serve/conditions.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { invalid } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import { type ParameterName, parameterDefinitions } from '../../../shared/kernel/system-parameters.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { inLanguage, message } from '../../../shared/messages/message.ts';
import { parameters as russian } from '../../../shared/messages/ru/parameters.ts';
import {
  type LinkSettings,
  linkSettings,
  schemesIn,
  unconfirmedSchemes,
} from '../../../shared/sites/link-schemes.ts';
import type { WebuiCtx } from '../deps.ts';
import { namedIn, type SystemParametersWrite, typeOf } from './schema.ts';

const helpTexts: Readonly<Record<ParameterName, string>> = russian;

type Described = Record<string, Record<string, unknown>>;

type Overrides = Record<string, unknown> | null;

export const answerParameters = (ctx: Pick<WebuiCtx, 'language'>, overrides: Overrides): Answer =>
  new Answer(describeParameters(ctx, overrides), {
    revision: revisionOf(overrides),
    headers: inItsLanguage(ctx.language),
  });

/** Parameters have no counter of writes: their revision is computed from the values. */
const revisionOf = (overrides: Overrides): number =>
  Buffer.from(sha256(canonicalJson(overrides ?? {})), 'base64url').readUIntBE(0, 6);

/** Every parameter with its value and all that a page needs to edit it. */
function describeParameters({ language }: Pick<WebuiCtx, 'language'>, overrides: Overrides): Described {
  const described: Described = {};
  for (const [name, fact] of parameterDefinitions) {
    const [section = '', key = ''] = name.split('.');
    const { default: fallback, pattern: _, address: _address, help, ...facts } = fact;
    const notice = name === 'aggregator.link_schemes' ? noticeOf(language, overrides) : '';
    described[section] ??= {};
    described[section][key] = {
      value: overrides?.[name] ?? fallback,
      default: fallback,
      type: typeOf(fact),
      ...facts,
      help: `${language === 'en' ? help : helpTexts[name]}${notice}`,
    };
  }
  return described;
}

const settingsOf = (overrides: Overrides): LinkSettings => {
  const text = (name: string): string => String(overrides?.[name] ?? '');
  return {
    link_schemes: text('aggregator.link_schemes'),
    confirmed_link_schemes: text('aggregator.confirmed_link_schemes'),
  };
};

/** Schemes that were allowed before an unknown program had to be confirmed. */
function noticeOf(language: Language, overrides: Overrides): string {
  const schemes = unconfirmedSchemes(settingsOf(overrides)).join(', ');
  if (schemes === '') return '';
  return `. ${inLanguage(message('Not used until they are confirmed: {schemes}', { schemes }), language)}`;
}

/**
 * A new scheme of an unknown program is confirmed in the same request or before.
 * @throws AppError `invalid_request`
 */
function assertConfirmed(
  { parameters }: WebuiCtx,
  changes: readonly { name: string; value: unknown }[],
): void {
  const present = linkSettings(parameters);
  const next = { ...present };
  for (const { name, value } of changes) {
    const [, key = ''] = name.split('.');
    if (Object.hasOwn(next, key)) Object.assign(next, { [key]: value });
  }
  const stored = schemesIn(present.link_schemes);
  const schemes = unconfirmedSchemes(next).filter((scheme) => !stored.includes(scheme));
  if (schemes.length === 0) return;
  throw invalid({
    pointer: '/aggregator/link_schemes/value',
    code: 'not_confirmed',
    detail: message('No known viewer: confirm {schemes} in confirmed_link_schemes', {
      schemes: schemes.join(', '),
    }),
  });
}

export async function writeParameters(
  ctx: WebuiCtx,
  conditions: Conditions,
  body: z.output<typeof SystemParametersWrite>,
): Promise<Answer> {
  const expected = await expectedBy(conditions, ctx);
  const changes = namedIn(body).map((change) => ({ id: newId(), ...change }));
  assertConfirmed(ctx, changes);
  const audit = auditEntry(ctx, {
    event: 'portal.SystemConfigChanged',
    category: 'config',
    action: 'update',
    object_type: 'system_parameter',
  });
  const { parameters, now } = ctx;
  const endsOwnTokens = changes.some(({ name, value }) => name === 'service_tokens.own' && value === false);
  const limits = {
    idleS: parameters['session.idle_s'],
    adminAbsoluteS: parameters['session.admin_absolute_s'],
    userAbsoluteS: parameters['session.user_absolute_s'],
  };
  const overrides = await saveParameters(ctx.deps.db, changes, audit, {
    ...expected,
    before: (h) => [
      removeEnded(h, limits, now),
      removeEndedOfPeers(h, limits, now),
      ...(endsOwnTokens ? revokeOwnTokens(h) : []),
    ],
  });
  return answerParameters(ctx, overrides);
}

/** What is stored, if the change depends on it. @throws AppError `precondition_failed` */
async function expectedBy(conditions: Conditions, { deps }: WebuiCtx): Promise<{ expected?: Overrides }> {
  if ((conditions.ifMatch ?? '*').trim() === '*') return {};
  const expected = await findOverrides(deps.db);
  assertMatches(conditions, revisionOf(expected));
  return { expected };
}
