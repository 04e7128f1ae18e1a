import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { findTheme, replaceDefaultLanguage, replaceTheme } from '../../../db/repositories/settings/themes.ts';
import { auditEntry, changesBetween } from '../../../shared/context/audit-entry.ts';
import type { BaseDeps, Ctx } from '../../../shared/context/context.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import { untilUncontested } from '../../../shared/http/records/writes.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { assertMatches, type Conditions } from '../../../shared/http/serve/conditions.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { dataUriOf } from '../../../shared/kernel/pictures/pictures.ts';
import { readPictures } from '../../../shared/shapes/picture-field.ts';
import type { UserinfoCtx } from '../deps.ts';
import { pictures, ThemeWrite } from './schema.ts';

type Branding = z.output<typeof ThemeWrite>;

const defaults: Branding = ThemeWrite.parse({});
/**
 * Clients cache the branding, which has up to 2 MB of pictures and rarely changes. A PUT by the same client
 * invalidates its copy.
 */
const caching = { 'cache-control': 'private, max-age=15' };

export async function readTheme({ deps }: UserinfoCtx): Promise<Answer> {
  const { revision, ...stored } = await findTheme(deps.db);
  return new Answer(complete(stored), { revision, headers: caching });
}

/** Replaces the branding with one audit event, which contains the digests of the pictures. */
export async function writeTheme(
  ctx: Ctx<BaseDeps, SignedIn>,
  conditions: Conditions,
  body: Branding,
): Promise<Answer> {
  const read = await readPictures(body, pictures);
  const uris = Object.entries(read).map(([name, picture]) => [name, dataUriOf(picture)]);
  const theme: Branding = { ...body, ...Object.fromEntries(uris) };
  const { default_language, ...branding } = theme;
  return untilUncontested(conditions, async () => {
    const { revision, ...stored } = await findTheme(ctx.deps.db);
    assertMatches(conditions, revision);
    const audit = auditEntry(ctx, {
      event: 'portal.EntityAction',
      category: 'config',
      action: 'update',
      object_type: 'theme',
      object_name: theme.site_name,
      changes: changesBetween(digested(complete(stored)), digested(theme)),
    });
    await atomically(ctx.deps.db, (h) => [
      ...replaceTheme(h, revision, branding, ctx.now),
      replaceDefaultLanguage(h, default_language, ctx.now),
      appendAudit(h, audit),
    ]);
    return new Answer(theme, { revision: revision + 1 });
  });
}

/** Fields that a later version adds have their defaults until they are written. */
const complete = ({ branding, defaultLanguage }: StoredTheme): Record<string, unknown> => ({
  ...defaults,
  ...branding,
  default_language: defaultLanguage,
});

type StoredTheme = Omit<Awaited<ReturnType<typeof findTheme>>, 'revision'>;

const isPicture = (name: string): boolean => pictures.some((picture) => picture === name);

const digested = (theme: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(theme).map(([name, value]) => [
      name,
      isPicture(name) && typeof value === 'string' ? sha256(value) : value,
    ]),
  );
