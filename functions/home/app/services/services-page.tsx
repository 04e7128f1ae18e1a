import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Frame } from '../../../../shared/web/frame/frame.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../shared/web/ui/controls/search-field.tsx';
import { Empty, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { AccountLink } from '../account-link.tsx';
import { ConnectDialog } from '../connect/connect-dialog.tsx';
import { facts } from '../facts.ts';
import { LogOffDialog } from '../sessions/log-off-dialog.tsx';
import { say } from '../texts.ts';
import { type Protocol, ServiceCard } from './card.tsx';
import { focusFirst, moveByArrow } from './card-keys.ts';
import { type Card, matching } from './cards.ts';
import classes from './services-page.module.css';
import { SiteNotices } from './site-notices.tsx';
import { usePlaces } from './use-places.ts';
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
  const { cards, waiting, early, late, sort } = usePlaces(lists);
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
      <SiteNotices lists={early} />
      <p class="unseen" role="status">
        {say('count', { count: shown.length })}
      </p>
      <Waiting lists={lists} />
      <Cards {...{ lists, shown, waiting, choose }} onSort={sort} />
      <Nothing lists={lists} cards={cards} shown={shown} />
      <SiteNotices lists={late} />
      {chosen?.action === 'connect' && (
        <ConnectDialog key={chosen.card.key} {...chosen} onClose={() => choose(undefined)} />
      )}
      {chosen?.action === 'log off' && <LogOffDialog card={chosen.card} onClose={() => choose(undefined)} />}
    </Frame>
  );
}

type CardsProps = {
  lists: readonly SiteList[];
  shown: readonly Card[];
  waiting: readonly SiteList[];
  onSort: () => void;
  choose: (chosen: Chosen) => void;
};

function Cards({ lists, shown, waiting, onSort, choose }: CardsProps): JSX.Element {
  const prefer = usePrefer();
  const announced = lists.flatMap(({ list }) => list?.announced_maintenance ?? []);
  // Those of the notices beside the cards.
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
            onFavourite={(favourite) => {
              onSort();
              prefer({ card, change: { favourite } });
            }}
          />
        </li>
      ))}
      {waiting.map(({ site }) => (
        <li key={`loading ${site.uri}`}>
          <Skeleton height="11rem" />
        </li>
      ))}
    </ul>
  );
}

const messageOf = (
  { service: { maintenance_message: message } }: Card,
  known: ReadonlySet<string | undefined>,
): string | undefined => (known.has(message) ? undefined : message);

/** Milliseconds after which a site that has not answered is named. */
const nameAfterMs = 3_000;

/** The sites that have not answered yet. The line keeps its height, so that nothing below it moves. */
function Waiting({ lists }: { lists: readonly SiteList[] }): JSX.Element {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), nameAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const names = lists.flatMap(({ site, isLoading }) => (isLong && isLoading ? [site.name] : []));
  return (
    <p class={classes.waiting} role="status">
      {names.length > 0 && say('waiting_for', { name: names.join(', ') })}
    </p>
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
