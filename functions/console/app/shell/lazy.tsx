import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../texts.ts';

/**
 * A component whose code is loaded when it is first shown.
 * @param load is called again if an earlier attempt failed
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded: { part?: ComponentType<Props> } = {};
  return function Lazy(props: Props): JSX.Element {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded.part);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (Part) return;
      load().then(
        (part) => {
          loaded.part = part;
          setPart(() => part);
        },
        () => setFailed(true),
      );
    }, []);
    if (hasFailed) return <Notice tone="bad" title={say('not_loaded')} />;
    return Part ? <Part {...props} /> : <Skeleton height="16rem" />;
  };
}
