import { agoText } from '../../../../shared/web/text/moments.ts';
import type { MarkTone } from '../../../../shared/web/ui/figures/mark.tsx';
import { causeText, stateText } from '../overview/words.ts';
import { say } from '../texts.ts';
import { type SiteState, useSiteState } from './site-state.ts';

/** Milliseconds between two reads; a change in the portal is read at once. */
const everyMs = 3_000;

type SyncStep = { name: 'created' | 'node' | 'lists' | 'counted'; tone: MarkTone; text: string };

export type FirstSync = {
  steps: SyncStep[];
  isDone: boolean;
  /** The site does not exist any more. */
  isMissing: boolean;
  /** Why the lists could not be read. */
  error: string | null;
};

/** How far the portal is with the data of a new site. */
export function useFirstSync(site: string): FirstSync {
  const { data } = useSiteState(site, everyMs);
  const steps = stepsOf(data);
  return {
    steps,
    isDone: steps.every(({ tone }) => tone === 'good'),
    isMissing: site === '' || data?.isDeleted === true,
    error: data?.farms.find(({ last_sync_error }) => last_sync_error !== null)?.last_sync_error ?? null,
  };
}

function stepsOf(state: SiteState | undefined): SyncStep[] {
  const node = state?.nodes[0];
  const fetchedAt = state?.farms[0]?.fetched_at ?? null;
  const { site } = state ?? {};
  const isRead = fetchedAt !== null;
  const waits = say('setup_sync_waits');
  const counts = { workplaces: site?.workplaces ?? 0, sessions: site?.sessions ?? 0 };
  return [
    { name: 'created', tone: site ? 'good' : 'none', text: site?.name ?? waits },
    {
      name: 'node',
      tone: node?.state === 'pass' ? 'good' : node?.state === 'fail' ? 'bad' : 'none',
      text: node ? textOf(node) : waits,
    },
    { name: 'lists', tone: isRead ? 'good' : 'none', text: isRead ? agoText(fetchedAt) : waits },
    {
      name: 'counted',
      tone: isRead ? 'good' : 'none',
      text: isRead ? say('setup_sync_counts', counts) : waits,
    },
  ];
}

const textOf = ({ state, last_error }: SiteState['nodes'][number]): string =>
  last_error === null ? stateText(state) : causeText(last_error);
