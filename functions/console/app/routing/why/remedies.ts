import { agoText, momentText } from '../../../../../shared/web/text/moments.ts';
import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import type { Explanation, Member, Obstacle } from './explanation.ts';

/** A record that decides, and what to do with it. */
type Remedy = { text: string; href: string };

/** Why a member is excluded, as a sentence, and the records that change it. */
export type Cause = { text: string; remedies: Remedy[] };

const remedy = (text: string, segments: readonly string[], query = {}): Remedy => ({
  text,
  href: addressOf(segments, query),
});

const editRule = ({ rule }: Explanation): Remedy =>
  remedy(say('why_edit_rule', { name: rule.name }), ['rule', rule.id, 'edit']);

/** A farm that was moved to another site has no name here. */
const openFarm = ({ farm_id, farm_name }: Member): Remedy[] =>
  farm_name === null ? [] : [remedy(say('why_open_farm', { name: farm_name }), ['farm', farm_id])];

const openPools = ({ farm_id, servicepool_name }: Member): Remedy =>
  remedy(say('why_open_pool'), ['servicespool'], {
    farm_id,
    ...(servicepool_name !== null && { search: servicepool_name }),
  });

const openSite = ({ site }: Explanation): Remedy =>
  remedy(say('why_open_site', { name: site.name }), ['site', site.id]);

const openNodes = ({ farm_id }: Member): Remedy => remedy(say('why_open_nodes'), ['dispatcher'], { farm_id });

const openNode = ({ id, name }: Member['nodes'][number]): Remedy =>
  remedy(say('why_open_node', { name }), ['dispatcher', id]);

const untilOf = (until: string | null): string =>
  until === null ? say('why_until_off') : say('why_until', { time: momentText(until) });

/** Records that can end each obstacle, by its reason. */
const remediesOf: Readonly<Record<string, (explanation: Explanation, member: Member) => Remedy[]>> = {
  rule_disabled: (explanation) => [editRule(explanation)],
  rule_not_for_user: (explanation) => [editRule(explanation)],
  member_disabled: (explanation) => [editRule(explanation)],
  failover_off: (explanation) => [editRule(explanation)],
  owned_elsewhere: (explanation) => [editRule(explanation)],
  site_disabled: (explanation) => [openSite(explanation)],
  site_maintenance: (explanation) => [openSite(explanation)],
  farm_disabled: (_, member) => openFarm(member),
  farm_maintenance: (_, member) => openFarm(member),
  not_known_here: (_, member) => [openNodes(member)],
  not_entitled: (_, member) => [openPools(member)],
  pool_maintenance: (_, member) => [openPools(member)],
  state_unknown: (_, member) => [openPools(member)],
  no_node: (_, member) => [openNodes(member)],
  circuit_open: (_, member) => member.nodes.filter(({ circuit }) => circuit !== 'closed').map(openNode),
};

export function causeOf(explanation: Explanation, member: Member, { reason }: Obstacle): Cause {
  return {
    text: causeText(explanation, member, reason),
    remedies: remediesOf[reason]?.(explanation, member) ?? [],
  };
}

function causeText({ site, user }: Explanation, member: Member, reason: string): string {
  if (reason === 'site_maintenance')
    return say('why_site_maintenance', { until: untilOf(site.maintenance_until) });
  if (reason === 'farm_maintenance')
    return say('why_farm_maintenance', { until: untilOf(member.maintenance_until) });
  if (reason === 'farm_disabled' && member.farm_name === null) return say('why_farm_elsewhere');
  if (reason === 'not_known_here') return refusedText(member, user);
  if (reason === 'not_entitled') return notEntitledText(member);
  const key = `why_${reason}`;
  return hasText(key) ? sayText(key) : reason;
}

/** Why the dispatchers of the farm have no account for the user. */
function refusedText({ refusal }: Member, { name, domain }: Explanation['user']): string {
  if (refusal === 'domain_not_linked') return say('why_domain_unknown', { domain });
  return say(`why_refused_${refusal ?? 'unknown'}`, { user: name });
}

function notEntitledText({ listed_at }: Member): string {
  return listed_at === null
    ? say('why_not_entitled')
    : say('why_not_entitled_as_of', { ago: agoText(listed_at) });
}

/** Why a usable member has its place in the order, and the record that changes it. */
export function placeOf(explanation: Explanation, member: Member): Cause[] {
  const causes: Cause[] = [orderCause(explanation, member)];
  if (!member.healthy)
    causes.push({ text: say('why_unhealthy'), remedies: member.nodes.map(openNode).slice(0, 3) });
  if (member.refusal !== null)
    causes.push({ text: refusedText(member, explanation.user), remedies: [openNodes(member)] });
  else if (member.entitled === null) causes.push({ text: say('why_not_asked'), remedies: [] });
  return causes;
}

function orderCause(explanation: Explanation, member: Member): Cause {
  const { reason, priority, usage_percent, priority_group: group } = member;
  if (reason === 'priority_group' && group) {
    const { id, name, farm_priority } = group;
    return {
      text: say('why_priority_group', { name, rank: farm_priority }),
      remedies: [remedy(say('why_open_group', { name }), ['priority_group', id])],
    };
  }
  const remedies = [editRule(explanation)];
  if (reason === 'priority') return { text: say('why_priority', { rank: priority }), remedies };
  if (reason === 'least_loaded')
    return {
      text:
        usage_percent === null
          ? say('why_least_loaded_unknown')
          : say('why_least_loaded', { percent: Math.round(usage_percent) }),
      remedies,
    };
  const key = `why_${reason}`;
  return { text: hasText(key) ? sayText(key) : reason, remedies };
}
