import type { Operations } from '../../../../../shared/client/portal-client.ts';

export type TestResult = Operations['authenticator.test']['answer'];

/** What the test has found so far: the settings first, then the answers of the directory. */
export type Course = { checked?: TestResult; result?: TestResult; isRunning: boolean };
