import type { Backend } from '../../backend/backend.ts'
import type { ReceiverInside } from '../../delivery/network/guarded-connector.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { OpenedThread, ThreadToOpen } from '../../threads/running-thread.ts'
import type { LaneGroupSettings } from '../open-lane-group.ts'
import type { SupervisionOptions } from '../open-supervisor.ts'
import type { LaneMainFunctions } from './lane-functions.ts'

export interface LaneThreadsOptions extends SupervisionOptions {
  readonly backend: Pick<Backend, 'catalog'> & {
    readonly threads: Pick<Backend['threads'], 'connect' | 'onChange' | 'seeDamage'>
    readonly deliveries: Pick<Backend['deliveries'], 'find'>
  }
  /** The module of a thread, without the extension of its file. */
  readonly module: URL
  /** By default, the threads are workers of Node. */
  readonly openThread?: (thread: ThreadToOpen) => OpenedThread
  /** How many threads, at least one. */
  readonly threads: number
  /** Those of all threads together. */
  readonly settings: LaneGroupSettings
  readonly inspector: ReceiverInside
  readonly activity: ActivityListener
  /** How long a stop waits for the attempts in flight. */
  readonly stopTimeoutMs: number
}

/** What one thread needs. */
export interface LaneThreadOptions extends LaneThreadsOptions {
  readonly inspectorAddress: ReceiverInside['address']
  /** Aborts when the lanes stop. */
  readonly signal: AbortSignal
  /** What main offers to every thread in the same way. */
  readonly functionsOfMain: Omit<LaneMainFunctions, 'admit' | 'dismiss'>
}
