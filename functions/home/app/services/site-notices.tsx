import type { JSX } from 'preact';
import { useOnline } from '../../../../shared/web/frame/online.ts';
import { clockText, durationText } from '../../../../shared/web/text/moments.ts';
import { useNow } from '../../../../shared/web/text/use-now.ts';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { announcementsOf } from '../maintenance/announcements.ts';
import { MaintenanceNotices } from '../maintenance/maintenance-notices.tsx';
import { say } from '../texts.ts';
import { type Gap, gapsIn, refusedAt } from './cards.ts';
import classes from './services-page.module.css';
import type { SiteList } from './use-services.ts';

/** Maintenance of sites, and what is missing or old in their lists. */
export const SiteNotices = ({ lists }: { lists: readonly SiteList[] }): JSX.Element => (
  <>
    <Maintenance lists={lists} />
    <Gaps lists={lists} />
  </>
);

/** What is missing or old. Without a network, one notice of the frame replaces those of the sites. */
function Gaps({ lists }: { lists: readonly SiteList[] }): JSX.Element {
  const isOnline = useOnline();
  return (
    <div class={classes.notices} aria-live="polite">
      {lists.flatMap((list) => (isOnline || !list.failed ? noticesOf(list) : []))}
    </div>
  );
}

/** Texts with the time that is left change, so they are not in the region that is read out after changes. */
function Maintenance({ lists }: { lists: readonly SiteList[] }): JSX.Element {
  const now = useNow(30_000);
  const announcements = lists.flatMap(({ site, list }) => (list ? announcementsOf(site, list, now) : []));
  return (
    <div class={classes.notices}>
      <MaintenanceNotices announcements={announcements} now={now} />
    </div>
  );
}

/** What is missing or old in the list of a site. */
function noticesOf({ site, list, failed, receivedAt, isLoading }: SiteList): JSX.Element[] {
  if (isLoading) return [];
  if (failed) {
    const since =
      receivedAt > 0 ? say('shown_since', { time: clockText(new Date(receivedAt)) }) : say('nothing_shown');
    return [
      <Notice key={site.uri} tone="warn" title={say('no_answer', { name: site.name })}>
        {since}
      </Notice>,
    ];
  }
  const farms = list?.sites ?? [];
  return [
    ...gapsIn(site, farms).map((gap) => <GapNotice key={`${site.uri} ${gap.name}`} gap={gap} />),
    ...refusedAt(site, farms).map((name) => (
      <Notice key={`${site.uri} ${name}`} tone="info" title={say('not_known', { name })}>
        {say('not_known_hint')}
      </Notice>
    )),
  ];
}

const GapNotice = ({ gap: { name, ageMs } }: { gap: Gap }): JSX.Element => (
  <Notice tone="warn" title={say('no_answer', { name })}>
    {ageMs === null ? say('nothing_shown') : say('shown_age', { age: durationText(ageMs) })}
  </Notice>
);
