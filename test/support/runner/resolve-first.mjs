/**
 * A setup file. The runner has a hook that reports each import to its main process, which costs more than the import itself; only
 * `--watch` needs it. Hooks that are registered later are called first, and this one answers for most imports.
 */
import { registerHooks } from 'node:module';
import { resolve } from './fast-loader.mjs';

registerHooks({ resolve });
