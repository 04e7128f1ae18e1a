/** File descriptors of a process: how many are open, and its limit. */
export type Descriptors = { open: number; max: number };

const scarcePart = 0.9;

/** True from 90 % of the limit on. Accepting connections and opening files fail at the limit. */
export const areDescriptorsScarce = ({ open, max }: Descriptors): boolean => open >= max * scarcePart;
