import { LIMITS } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import { DeletionWorker } from '../deletions/deletion-worker.ts'
import type { DeliveryEngine, DeliveryEngineOptions } from './delivery-engine.ts'

/** Few, and apart from those of events: a notice does not wait for an event. */
export const NOTICE_LIMITS = { maxInFlight: 16, laneConcurrency: 4, laneWindow: 64 }

type DeletionsOptions = Pick<DeliveryEngineOptions, 'activity' | 'clock' | 'logger'> & {
  readonly backend: Pick<
    Backend,
    'catalog' | 'deletions' | 'suppressions' | 'notices' | 'noticeQueue'
  >
  readonly retryScheduleMs: readonly number[] | undefined
}

/**
 * Carries deletion requests out, and delivers their notices by lanes of their own.
 * @returns what to call when a deletion request was made
 */
export function startDeletions(engine: DeliveryEngine, options: DeletionsOptions): () => void {
  const { backend, retryScheduleMs } = options
  const { noticeQueue } = backend
  const lanes = engine.openLanes({
    name: 'notices',
    deliveries: noticeQueue,
    quarantine: noticeQueue,
    upkeep: noticeQueue,
    // Statistics and health count events alone.
    activity: { recorded: () => undefined },
    retryWindowMs: LIMITS.noticeRetryWindowMs,
    retryScheduleMs,
    keepsEveryAnswer: true,
    limits: NOTICE_LIMITS,
  })
  const worker = new DeletionWorker({ ...options, ...backend, onNotices: () => lanes.wake() })
  engine.supervise(worker)
  return () => worker.wake()
}
