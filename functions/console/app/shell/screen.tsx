import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { facts, may } from '../facts.ts';
import { Overview } from '../overview/overview.tsx';
import { type Kind, kindOf } from '../records/kinds.ts';
import { usePlace } from '../router/place.ts';
import { say } from '../texts.ts';
import { lazy } from './lazy.tsx';
import { screens } from './screens.ts';

const Records = lazy(async () => (await import('../records/records-page.tsx')).RecordsPage);

const parts = new Map<string, ComponentType>(screens.map(({ segment, load }) => [segment, lazy(load)]));

/** What the place of the address shows. */
export function Screen({ kinds }: { kinds: readonly Kind[] | undefined }): JSX.Element {
  const { segments } = usePlace();
  const [first = ''] = segments;
  useArrival(segments.join('/'));
  const screen = screens.find(({ segment, permissions }) => segment === first && may(permissions));
  const kind = kindOf(kinds, first);
  useTitle((screen && say(screen.title)) ?? kind?.many ?? say('title'));
  if (first === '') return <Overview />;
  const Part = screen && parts.get(first);
  if (Part) return <Part />;
  if (kind) return <Records key={first} kind={kind} />;
  return kinds === undefined ? (
    <Skeleton height="16rem" />
  ) : (
    <Notice tone="warn" title={say('no_such_page')} />
  );
}

const useTitle = (title: string): void =>
  useEffect(() => {
    document.title = `${title} – ${facts.site_name}`;
  }, [title]);

/** A new place begins at its top, and screen readers read it from there. */
function useArrival(path: string): void {
  const [first] = useState(path);
  useEffect(() => {
    if (path === first) return;
    scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}
