import { createAuthority } from '../simulator/authority.ts';
import {
  addGroup,
  addTemplate,
  addUser,
  base,
  domainBody,
  domainsPath,
  gatewayBody,
  goodPassword,
  groupsPath,
  memberOf,
  ruleBody,
  rulesPath,
  siteBody,
  tagsPath,
  unique,
  usersPath,
  type World,
  webhookBody,
} from '../support/factories.ts';
import { png } from '../support/pictures.ts';
import type { Json } from '../support/portal.ts';

type Given = Record<string, Json>;

/** A kind of record in the test of `null` in a merge patch. */
export type PatchedKind = {
  path: string;
  /** The required members of a creation. */
  body(): Given;
  /** For each optional member another value than the default, with what creation needs for it. */
  others: Given;
  /** What a patch with `null` for the member must also contain. */
  beside?: Given;
  /** Members that reject `null`, with the code. */
  refused?: Record<string, string>;
  /** Members that no read returns: `null` changes nothing. */
  ignored?: readonly string[];
};

const past = '2020-01-01T00:00:00.000Z';
const picture = `data:image/png;base64,${png().toString('base64')}`;

let width = 1;
/** A picture that the gallery does not have. */
const newPicture = (): string => `data:image/png;base64,${png(++width, 3).toString('base64')}`;

/** All kinds with a merge patch, by the name of the schema of the patch. */
export async function patchedKinds({
  admin,
  domain,
  site,
  farm,
}: World): Promise<Record<string, PatchedKind>> {
  const [template, group, user, { caPem }] = await Promise.all([
    addTemplate(admin),
    addGroup(admin, domain),
    addUser(admin, domain),
    createAuthority(),
  ]);
  const roles = (await admin(`GET ${base}/rbac?search=auditor`)).body.items;
  const shared = { comments: { comments: 'noted' }, enabled: { enabled: false }, priority: { priority: 7 } };
  const maintained = {
    maintenance: { maintenance: true },
    maintenance_template_id: { maintenance_template_id: template.id },
  };
  const people = { users: { users: [user.id] }, groups: { groups: [group.id] } };
  const tagged = ruleBody(site);
  const { match_tags, ...untagged } = tagged;
  const members = [memberOf(farm)];
  return {
    AuthenticatorPatch: {
      path: domainsPath,
      body: () => domainBody(),
      others: {
        comments: shared.comments,
        priority: shared.priority,
        state: { state: 'hidden' },
        subjects: { subjects: 'staff' },
        two_factor: { two_factor: true },
        tags: { tags: [unique('tag')] },
        params: { params: {} },
      },
    },
    GroupPatch: {
      path: groupsPath(domain),
      body: () => ({ name: unique('group') }),
      others: {
        comments: shared.comments,
        state: { state: 'inactive' },
        type: { type: 'meta', groups: [group.id] },
        external_id: { external_id: 'cn=staff' },
        meta_if_any: { meta_if_any: true, type: 'meta', groups: [group.id] },
        groups: { type: 'meta', groups: [group.id] },
        skip_two_factor: { skip_two_factor: true },
      },
      // A meta group always has parts.
      refused: { type: 'immutable', external_id: 'immutable', groups: 'required' },
    },
    UserPatch: {
      path: usersPath(domain),
      body: () => ({ name: unique('user'), password: goodPassword }),
      others: {
        comments: shared.comments,
        real_name: { real_name: 'Ada' },
        email: { email: 'ada@example.com' },
        state: { state: 'inactive' },
        kind: { kind: 'service', password: null },
        must_change_password: { must_change_password: true },
        groups: { groups: [group.id] },
        roles: { roles: [roles[0].id] },
      },
      beside: { kind: { password: goodPassword } },
      ignored: ['locked_until', 'two_factor_enrolled'],
    },
    RolePatch: {
      path: `${base}/rbac`,
      body: () => ({ name: unique('role'), permissions: ['sites.read'] }),
      others: { comments: shared.comments, scope: { scope: { sites: [site.id] } } },
    },
    SitePatch: {
      path: `${base}/sites`,
      body: () => siteBody(),
      others: {
        ...shared,
        ...maintained,
        ...people,
        direct_when_gateways_fail: { direct_when_gateways_fail: true },
        location: { location: { latitude: 1, longitude: 2 } },
        authenticators: { authenticators: [domain.id] },
      },
    },
    FarmPatch: {
      path: `${base}/farms`,
      body: () => ({ name: unique('farm'), site_id: site.id }),
      others: {
        comments: shared.comments,
        enabled: shared.enabled,
        ...maintained,
        weight: { weight: 20 },
        balancing: { balancing: 'least_loaded' },
        creates_users: { creates_users: true },
        identity_domains: {
          identity_domains: [{ label: 'one', node_label: 'two', user_names: 'unchanged' }],
        },
      },
    },
    DispatcherPatch: {
      path: `${base}/dispatchers`,
      body: () => ({ name: unique('node'), farm_id: farm.id, url: 'https://node.example.com' }),
      others: {
        enabled: shared.enabled,
        priority: shared.priority,
        // Nodes of this kind have no account. Those of the other one must have it.
        ...{ kind: {}, account_domain: {}, account_name: {}, account_password: {}, public_url: {} },
        sends_client_address: {},
        verify_tls: { verify_tls: false },
        ca_certificate: { ca_certificate: caPem },
        health_key: { health_key: 'secret' },
        timeout_ms: { timeout_ms: 700 },
      },
    },
    WebhookPatch: {
      path: `${base}/webhooks`,
      body: () => webhookBody(),
      others: {
        comments: shared.comments,
        enabled: shared.enabled,
        sites: { sites: [site.id] },
        ca_certificate: { ca_certificate: caPem },
      },
    },
    GatewayPatch: {
      path: `${base}/gateways`,
      body: () => gatewayBody(),
      others: {
        enabled: shared.enabled,
        priority: shared.priority,
        maintenance: maintained.maintenance,
        port: { port: 444 },
        protocols: { protocols: ['rdp'] },
        sites: { sites: [site.id] },
        networks: { networks: ['10.0.0.0/8'] },
        client_address: { client_address: 'exact' },
        byte_counters: { byte_counters: 'process' },
      },
      ignored: ['rotate_token'],
    },
    MaintenanceTemplatePatch: {
      path: `${base}/maintenance`,
      body: () => ({ name: unique('template'), message: 'Back at noon' }),
      others: {
        title: { title: 'Noon' },
        start_at: { start_at: past },
        end_at: { end_at: past },
        warn_minutes: { warn_minutes: 3 },
        block_new_sessions: { block_new_sessions: false },
        disconnect_sessions: { disconnect_sessions: true },
        logoff_sessions: { logoff_sessions: true },
      },
    },
    MonitoringRecordPatch: {
      path: `${base}/monitoring`,
      body: () => ({ level: 'info', message: unique('message') }),
      others: {
        at: { at: past },
        source: { source: 'farm' },
        object_type: { object_type: 'farm' },
        object_id: { object_id: farm.id },
        object_name: { object_name: farm.name },
        code: { code: 'noted' },
        details: { details: { n: 1 } },
        state: { state: 'closed' },
      },
    },
    PriorityGroupPatch: {
      path: `${base}/priority_groups`,
      body: () => ({ name: unique('preference') }),
      others: {
        comments: shared.comments,
        priority: shared.priority,
        ...people,
        farms: { farms: [{ farm_id: farm.id, priority: 3 }] },
      },
    },
    RulePatch: {
      path: rulesPath,
      body: () => ({ ...tagged, name: unique('rule') }),
      others: {
        comments: shared.comments,
        enabled: shared.enabled,
        ...people,
        display_name: { display_name: 'Shown' },
        image_id: { image: picture },
        policy: { policy: 'random' },
        failover: { failover: false },
        failover_from_owned: { failover_from_owned: true },
        affinity: { affinity: 'none' },
        members: { ...untagged, match_tags: null, members },
        match_tags: {},
      },
      beside: { members: { match_tags }, match_tags: { members } },
      ignored: ['image'],
    },
    PicturePatch: {
      path: `${base}/gallery/images`,
      body: () => ({ name: unique('picture'), image: newPicture() }),
      others: {},
      ignored: ['image'],
    },
    TagPatch: {
      path: tagsPath,
      body: () => ({ name: unique('tag') }),
      others: { comments: shared.comments, color: { color: '#102030' } },
      ignored: ['attach', 'detach'],
    },
  };
}
