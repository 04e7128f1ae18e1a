import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { useFaults } from '../../../shared/web/credentials/use-faults.ts';
import { useRequest } from '../../../shared/web/problems/use-request.ts';
import { useSecondsUntil } from '../../../shared/web/text/use-seconds-until.ts';
import type { Outcome } from './flow.ts';

type SubmissionOptions<Name extends string> = {
  /** The missing entries of the form, each with its sentence. */
  missing: (values: FormData) => Partial<Record<Name, string>>;
  /** @throws PortalError why the entries were refused */
  work: (values: FormData) => Promise<Outcome>;
  onOutcome: (outcome: Outcome) => void;
  /** The page is being left. */
  isLeaving: boolean;
};

/**
 * A form that is sent. While a request runs, or a limit asks to wait, it is not sent again; its button keeps the focus.
 */
export function useSubmission<Name extends string>(options: SubmissionOptions<Name>) {
  const form: RefObject<HTMLFormElement | null> = useRef<HTMLFormElement>(null);
  const { problem, isBusy, run, forget } = useRequest();
  const [faults, setFaults] = useFaults<Partial<Record<Name, string>>>(form, {}, problem);
  const isLocked = useSecondsUntil(problem?.retryAt) > 0;
  const isWorking = isBusy || options.isLeaving;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isWorking || isLocked || !form.current) return;
    const values = new FormData(form.current);
    const missing = options.missing(values);
    setFaults(missing);
    forget();
    if (Object.keys(missing).length === 0)
      void run(async () => options.onOutcome(await options.work(values)));
  };
  /** Another entry can be tried immediately: a limit applies to one account. */
  const change = (): void => {
    forget();
    setFaults({});
  };
  const button = { busy: isWorking, 'aria-disabled': isLocked };
  return { form, faults, problem, submit, change, button };
}

/** The text of an entry. */
export const entryOf = (values: FormData, name: string): string => String(values.get(name) ?? '');
