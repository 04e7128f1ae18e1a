import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Frame } from '../../../../shared/web/frame/frame.tsx';
import { useOnline } from '../../../../shared/web/frame/online.ts';
import { clockText, durationText } from '../../../../shared/web/text/moments.ts';
import { useNow } from '../../../../shared/web/text/use-now.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../shared/web/ui/controls/search-field.tsx';
import { Empty, Notice, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { AccountLink } from '../account-link.tsx';
import { ConnectDialog } from '../connect/connect-dialog.tsx';
import { facts } from '../facts.ts';
import { announcementsOf } from '../maintenance/announcements.ts';
import { MaintenanceNotices } from '../maintenance/maintenance-notices.tsx';
import { LogOffDialog } from '../sessions/log-off-dialog.tsx';
import { say } from '../texts.ts';
import { type Protocol, ServiceCard } from './card.tsx';
import { focusFirst, moveByArrow } from './card-keys.ts';
import { type Card, cardsOf, type Gap, gapsIn, matching, refusedAt } from './cards.ts';
import classes from './services-page.module.css';
import { type SiteList, usePrefer, useServices } from './use-services.ts';

type Chosen =
  | { action: 'connect'; card: Card; protocol: Protocol | undefined }
  | { action: 'log off'; card: Card };

/** The workplaces of the user as cards, with a search. */
export function ServicesPage(): JSX.Element {
  const lists = useServices();
  const [text, setText] = useState('');
  const [site, setSite] = useState('');
  const [chosen, choose] = useState<Chosen>();
  const cards = useMemo(() => cardsOf(lists.map(({ site, list }) => [site, list])), [lists]);
  const shown = useMemo(() => matching(cards, { text, site }), [cards, text, site]);
  const first = shown[0];
  const onSearch = (event: Event) => {
    event.preventDefault();
    if (text !== '' && first) choose({ action: 'connect', card: first, protocol: undefined });
  };
  return (
    <Frame
      facts={facts}
      home="/home/"
      menu={<AccountLink />}
      tools={<Search text={text} onText={setText} onEnter={onSearch} />}
    >
      <div class={classes.heading}>
        <h1>{say('heading')}</h1>
        <SiteFilter site={site} onSite={setSite} />
      </div>
      <Maintenance lists={lists} />
      <Gaps lists={lists} />
      <p class="unseen" role="status">
        {say('count', { count: shown.length })}
      </p>
      <Cards lists={lists} shown={shown} choose={choose} />
      <Nothing lists={lists} cards={cards} shown={shown} />
      {chosen?.action === 'connect' && (
        <ConnectDialog key={chosen.card.key} {...chosen} onClose={() => choose(undefined)} />
      )}
      {chosen?.action === 'log off' && <LogOffDialog card={chosen.card} onClose={() => choose(undefined)} />}
    </Frame>
  );
}

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

type CardsProps = { lists: readonly SiteList[]; shown: readonly Card[]; choose: (chosen: Chosen) => void };

function Cards({ lists, shown, choose }: CardsProps): JSX.Element {
  const prefer = usePrefer();
  const announced = lists.flatMap(({ list }) => list?.announced_maintenance ?? []);
  // Those of the notices above the cards.
  const known = new Set<string | undefined>(announced.map(({ message }) => message));
  return (
    <ul class={classes.grid} onKeyDown={(event) => moveByArrow(event, event.currentTarget)}>
      {shown.map((card) => (
        <li key={card.key}>
          <ServiceCard
            card={card}
            message={messageOf(card, known)}
            onConnect={(protocol) => choose({ action: 'connect', card, protocol })}
            onLogOff={() => choose({ action: 'log off', card })}
            onFavourite={(favourite) => prefer({ card, change: { favourite } })}
          />
        </li>
      ))}
      {lists.flatMap(({ site, isLoading }) =>
        isLoading ? [<Placeholder key={`loading ${site.uri}`} name={site.name} />] : [],
      )}
    </ul>
  );
}

const messageOf = (
  { service: { maintenance_message: message } }: Card,
  known: ReadonlySet<string | undefined>,
): string | undefined => (known.has(message) ? undefined : message);

/** Milliseconds after which a site that has not answered is named. */
const nameAfterMs = 3_000;

function Placeholder({ name }: { name: string }): JSX.Element {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), nameAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <li class={classes.placeholder}>
      <Skeleton height="11rem" />
      <p role="status">{isLong && say('waiting_for', { name })}</p>
    </li>
  );
}

type SearchProps = { text: string; onText: (text: string) => void; onEnter: (event: Event) => void };

/** Enter connects to the first workplace, and the arrow key moves to it. */
const Search = ({ text, onText, onEnter }: SearchProps): JSX.Element => (
  <search>
    <form onSubmit={onEnter}>
      <SearchField
        label={say('search')}
        text={text}
        onText={onText}
        onKeyDown={({ key }) => key === 'ArrowDown' && focusFirst(document)}
      />
    </form>
  </search>
);

/** Absent if the user has one site only. */
function SiteFilter({ site, onSite }: { site: string; onSite: (site: string) => void }): JSX.Element | null {
  if (facts.sites.length < 2) return null;
  const options = [{ uri: '', name: say('all_sites') }, ...facts.sites];
  return (
    <fieldset class={classes.filter} aria-label={say('sites')}>
      {options.map(({ uri, name }) => (
        <Button key={uri} look="plain" aria-pressed={uri === site} onClick={() => onSite(uri)}>
          {name}
        </Button>
      ))}
    </fieldset>
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

type NothingProps = { lists: readonly SiteList[]; cards: readonly Card[]; shown: readonly Card[] };

/** Explains an empty page. */
function Nothing({ lists, cards, shown }: NothingProps): JSX.Element | null {
  if (shown.length > 0 || lists.some(({ isLoading }) => isLoading)) return null;
  if (cards.length > 0) return <Empty icon="search" title={say('no_match')} />;
  if (lists.some(({ failed }) => failed)) return null;
  return (
    <Empty icon="screen" title={say('no_services')}>
      {say(lists.length === 0 ? 'no_sites_hint' : 'no_services_hint')}
    </Empty>
  );
}
