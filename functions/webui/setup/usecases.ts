import { missingFor } from '../../../shared/context/rights.ts';
import { createTogether, type JointPart, within } from '../../../shared/http/records/joint-creation.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { message } from '../../../shared/messages/message.ts';
import type { WebuiCtx } from '../deps.ts';
import { checkNewNode, type NodeMembers, sealedSecrets } from '../node-destination.ts';

type Kind = Pick<JointPart, 'kind'>;
export type SetupKinds = { site: Kind; farm: Kind; dispatcher: Kind };

type Members = Record<string, unknown>;
type Setup = { site: Members; farm: Members; dispatcher: Members };

/**
 * Creates a site, its first farm and the first node of the farm in one batch.
 * @throws AppError `forbidden` without the permissions for farms and nodes; `invalid_request`, `already_exists`
 */
export async function setUpSite(ctx: WebuiCtx, kinds: SetupKinds, setup: Members): Promise<Answer> {
  assertMayCreateAll(ctx);
  const { site, farm, dispatcher } = setup as Setup;
  const [siteId, farmId, id] = [newId(), newId(), newId()];
  const node = addressed(dispatcher);
  within('dispatcher', () => checkNewNode(ctx, node));
  const created = await createTogether(ctx, [
    { member: 'site', kind: kinds.site.kind, id: siteId, body: site },
    { member: 'farm', kind: kinds.farm.kind, id: farmId, body: { ...farm, site_id: siteId } },
    {
      ...{ member: 'dispatcher', kind: kinds.dispatcher.kind, id },
      body: { ...node, farm_id: farmId },
      columns: await sealedSecrets(ctx, id, node),
    },
  ]);
  return new Answer(created, { headers: { location: `${kinds.site.kind.path}/${siteId}` } });
}

/** The members have been validated by the shape of a node. */
const addressed = (node: Members): Members & NodeMembers => ({
  ...node,
  kind: String(node.kind),
  url: String(node.url),
  verify_tls: node.verify_tls === true,
  health_key: textOrNull(node.health_key),
  account_domain: textOrNull(node.account_domain),
  account_name: textOrNull(node.account_name),
  account_password: textOrNull(node.account_password),
  public_url: textOrNull(node.public_url),
  sends_client_address: node.sends_client_address === true,
});

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function assertMayCreateAll({ principal }: WebuiCtx): void {
  const missing = missingFor(principal, [
    { permissions: ['farms.create', 'dispatchers.create'], scope: { sites: '*' } },
  ]);
  if (missing.length === 0) return;
  const permissions = missing.join(', ');
  throw new AppError('forbidden', message('Also requires {permissions} for all sites', { permissions }));
}
