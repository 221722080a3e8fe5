import { LIMITS } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import { DeletionWorker } from '../deletions/deletion-worker.ts'
import type { DeliveryEngine, DeliveryEngineOptions } from './delivery-engine.ts'

/** The lanes of notices have their own few slots, so a notice never waits for an event. */
export const NOTICE_LIMITS = {
  maxInFlight: 16,
  laneConcurrency: 4,
  laneWindow: 64,
  maxInMemory: 4_096,
}

type DeletionsOptions = Pick<DeliveryEngineOptions, 'activity' | 'clock' | 'logger'> & {
  readonly backend: Pick<
    Backend,
    'catalog' | 'deletions' | 'suppressions' | 'notices' | 'noticeQueue'
  >
  readonly retryScheduleMs: readonly number[] | undefined
  /** The bytes of the users of a deletion are erased from the database: copies of it must go. */
  readonly onErased: () => Promise<void>
}

/**
 * Runs the deletion worker, and delivers the notices of deletions through their own lanes.
 * @returns a function to call after each deletion request
 */
export function startDeletions(engine: DeliveryEngine, options: DeletionsOptions): () => void {
  const { backend, activity, retryScheduleMs } = options
  const { noticeQueue } = backend
  const lanes = engine.openLanes({
    name: 'notices',
    deliveries: noticeQueue,
    quarantine: noticeQueue,
    // Statistics and health count events only.
    activity: {
      recorded: ({ isEnd }) => {
        if (isEnd) activity.updated({ resource: 'deletions', id: null })
      },
    },
    retryWindowMs: LIMITS.noticeRetryWindowMs,
    retryScheduleMs,
    // Every webhook may hold data of the user (spec 02 §Deletion notice).
    successPolicy: 'each',
    keepsEveryResponse: true,
    limits: NOTICE_LIMITS,
  })
  const worker = new DeletionWorker({ ...options, ...backend, onNotices: () => lanes.wake() })
  engine.supervise(worker)
  return () => worker.wake()
}
