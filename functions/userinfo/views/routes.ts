import { listSavedViews } from '../../../db/repositories/settings/saved-views.ts';
import { base, endpoint } from '../deps.ts';
import { SavedView, SavedViews, SavedViewWrite, ViewParams } from './schema.ts';
import { createView, removeView, replaceView } from './usecases.ts';

const path = `${base}/views` as const;

export const viewOperations = [
  endpoint(
    {
      id: 'userinfo.listViews',
      route: `GET ${path}`,
      access: 'signed-in',
      summary: "List the caller's saved views of lists",
      returns: [200, SavedViews],
    },
    async ({ deps, principal }) => ({ items: await listSavedViews(deps.db, principal.user.id) }),
  ),
  endpoint(
    {
      id: 'userinfo.createView',
      route: `POST ${path}`,
      access: 'signed-in',
      summary: 'Save a view of a list for the caller',
      description: 'At most 200 views for each user.',
      body: { required: SavedViewWrite },
      returns: [201, SavedView],
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, { body }) => createView(ctx, body),
  ),
  endpoint(
    {
      id: 'userinfo.replaceView',
      route: `PUT ${path}/{id}`,
      access: 'signed-in',
      summary: "Replace one of the caller's saved views",
      params: ViewParams,
      body: { required: SavedViewWrite },
      returns: [200, SavedView],
      errors: ['already_exists', 'not_found'],
    },
    (ctx, { params: { id }, body }) => replaceView(ctx, id, body),
  ),
  endpoint(
    {
      id: 'userinfo.deleteView',
      route: `DELETE ${path}/{id}`,
      access: 'signed-in',
      summary: "Delete one of the caller's saved views",
      params: ViewParams,
      returns: [204, null],
      errors: ['not_found'],
    },
    (ctx, { params: { id } }) => removeView(ctx, id),
  ),
];
