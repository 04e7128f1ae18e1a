import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPortal } from '../support/portal.ts';
import { operations } from './generated/described.ts';
import { permissionsIn, rows } from './rows.ts';
import { startTypedPortal } from './support/typed-portal.ts';

let portal: TestPortal;
let listed: { id: string; resource: string; action: string; name: string; description: string }[];

beforeAll(async () => {
  portal = await startTypedPortal();
  const token = await portal.login();
  listed = (await portal.send('GET /api/webui/aggregator/rbac/permissions', { token })).body;
});
afterAll(() => portal.close());

describe('the list of permissions', () => {
  it('has those in the rows of the contract, and the one of rule explanations', () => {
    const used = new Set([...rows.flatMap(permissionsIn), 'rules.explain', 'workplaces.force']);
    expect(listed.map(({ id }) => id).sort()).toEqual([...used].sort());
  });

  it('has every permission that operations need', () => {
    const known = new Set(listed.map(({ id }) => id));
    const asked = operations.map(({ access }) => access).filter((access) => access.includes('.'));
    expect(asked.filter((permission) => !known.has(permission))).toEqual([]);
  });

  it('has a unique name and description for each', () => {
    for (const { id, resource, action, name, description } of listed) {
      expect(id).toBe(`${resource}.${action}`);
      expect(name).not.toBe('');
      expect(description).not.toBe('');
    }
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });
});
