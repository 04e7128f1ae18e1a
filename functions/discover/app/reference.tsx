import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { portal } from '../../../shared/web/client/session.ts';
import { Button } from '../../../shared/web/ui/controls/button.tsx';
import { Notice, Skeleton } from '../../../shared/web/ui/feedback/feedback.tsx';
import classes from './page.module.css';
import { say } from './texts.ts';

type State = 'loading' | 'shown' | 'failed';

/** Swagger UI, which is loaded after the frame is shown, at the same time as the document. */
export function Reference(): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<State>('loading');
  useEffect(() => {
    const show = async (): Promise<void> => {
      const [{ showReference }, document] = await Promise.all([
        import('./swagger/reference.ts'),
        portal.call('openapi.get'),
      ]);
      if (place.current) await showReference(place.current, document);
    };
    show().then(
      () => setState('shown'),
      () => setState('failed'),
    );
  }, []);
  return (
    <>
      {state === 'loading' && <Loading />}
      {state === 'failed' && (
        <Notice
          tone="bad"
          title={say('not_loaded')}
          isAlert={true}
          actions={
            <Button look="plain" onClick={() => location.reload()}>
              {say('again')}
            </Button>
          }
        />
      )}
      <div id="reference" lang="en" ref={place} />
    </>
  );
}

const Loading = (): JSX.Element => (
  <div class={classes.loading}>
    <p class="unseen" role="status">
      {say('loading')}
    </p>
    {['3rem', '12rem', '3.5rem', '3.5rem', '3.5rem', '3.5rem'].map((height, at) => (
      <Skeleton key={at} height={height} />
    ))}
  </div>
);
