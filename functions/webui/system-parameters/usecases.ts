import type { z } from 'zod';
import { removeEndedOfPeers } from '../../../db/repositories/identity/login/peer-sessions.ts';
import { removeEnded } from '../../../db/repositories/identity/login/sessions.ts';
import { saveParameters } from '../../../db/repositories/settings/system-parameters.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { type ParameterName, parameterDefinitions } from '../../../shared/kernel/system-parameters.ts';
import { parameters as russian } from '../../../shared/messages/ru/parameters.ts';
import type { WebuiCtx } from '../deps.ts';
import { namedIn, type SystemParametersWrite, typeOf } from './schema.ts';

const helpTexts: Readonly<Record<ParameterName, string>> = russian;

type Described = Record<string, Record<string, unknown>>;

/** Every parameter with its value and all that a page needs to edit it. */
export function describeParameters(
  { language }: Pick<WebuiCtx, 'language'>,
  overrides: Record<string, unknown> | null,
): Described {
  const described: Described = {};
  for (const [name, fact] of parameterDefinitions) {
    const [section = '', key = ''] = name.split('.');
    const { default: fallback, pattern: _, help, ...facts } = fact;
    described[section] ??= {};
    described[section][key] = {
      value: overrides?.[name] ?? fallback,
      default: fallback,
      type: typeOf(fact),
      ...facts,
      help: language === 'en' ? help : helpTexts[name],
    };
  }
  return described;
}

export async function writeParameters(
  ctx: WebuiCtx,
  body: z.output<typeof SystemParametersWrite>,
): Promise<Described> {
  const changes = namedIn(body).map((change) => ({ id: newId(), ...change }));
  const audit = auditEntry(ctx, {
    event: 'portal.SystemConfigChanged',
    category: 'config',
    action: 'update',
    object_type: 'system_parameter',
  });
  const { parameters, now } = ctx;
  const limits = {
    idleS: parameters['session.idle_s'],
    adminAbsoluteS: parameters['session.admin_absolute_s'],
    userAbsoluteS: parameters['session.user_absolute_s'],
  };
  const overrides = await saveParameters(ctx.deps.db, changes, audit, (h) => [
    removeEnded(h, limits, now),
    removeEndedOfPeers(h, limits, now),
  ]);
  return describeParameters(ctx, overrides);
}
