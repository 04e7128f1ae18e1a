import { areas } from '../areas.ts';
import type { ScreenEntry } from './area.ts';

export const screens: readonly ScreenEntry[] = areas.flatMap((area) => area.screens ?? []);
