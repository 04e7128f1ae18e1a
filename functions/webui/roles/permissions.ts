import type { z } from 'zod';
import {
  type Action,
  actionOf,
  permissions,
  type Resource,
  resourceOf,
} from '../../../shared/context/permissions.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import * as russian from '../../../shared/messages/ru/permissions.ts';
import type { PermissionEntry } from './schema.ts';

const words = (text: string): string => text.replaceAll('_', ' ');

const resources: Readonly<Record<Resource, string>> = russian.resources;
const actions: Readonly<Record<Action, string>> = russian.actions;

/** All permissions with their texts in the language of the caller. */
export const listPermissions = (language: Language): z.input<typeof PermissionEntry>[] =>
  permissions.map((id) => {
    const [resource, action] = [resourceOf(id), actionOf(id)];
    const texts =
      language === 'en'
        ? {
            name: `${words(resource)}: ${action}`,
            description: `Allows the action "${action}" on the resource "${words(resource)}"`,
          }
        : russianTexts(resources[resource], actions[action]);
    return { id, resource, action, ...texts };
  });

const russianTexts = (resource: string, action: string) => ({
  name: `${resource}: ${action}`,
  description: `Разрешает действие «${action}» для ресурса «${resource}»`,
});
