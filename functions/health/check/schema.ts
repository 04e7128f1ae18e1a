import type { ComponentState } from '../../../shared/kernel/observability/component-state.ts';

/** One component of the health format. The database has an `observedValue`, in seconds. */
export type ComponentEntry = {
  componentId: string;
  componentType: 'component' | 'datastore';
  observedValue?: number;
  observedUnit?: 's';
  status: 'pass' | 'fail';
  /** `status` is `fail` in the state `fail` only. */
  state: ComponentState;
};

export type HealthReport = {
  /** Of the health format. */
  version: '7.0';
  description: 'aggregator';
  status: 'pass' | 'fail';
  checks: {
    'celery:connectionTest': ComponentEntry[];
    'database:responseTime': ComponentEntry[];
    'messages_broker:connectionTest': ComponentEntry[];
    'fluentd:connectionTest': ComponentEntry[];
    'sites:connectionTest': ComponentEntry[];
  };
};

/** The answer for monitors that send no headers: of the installation, or of one site. */
export type HealthSummary = Pick<HealthReport, 'version' | 'status'>;
