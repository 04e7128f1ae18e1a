import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/**
 * The faults of the fields of a form. The first field with a fault gets the focus, so that screen readers name it.
 * @param also further values: a change of them also moves the focus
 */
export function useFaults<Faults extends object>(
  form: RefObject<HTMLFormElement | null>,
  none: Faults,
  also?: unknown,
) {
  const [faults, setFaults] = useState<Faults>(none);
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]');
    field?.focus();
    field?.select();
  }, [faults, also]);
  return [faults, setFaults] as const;
}
