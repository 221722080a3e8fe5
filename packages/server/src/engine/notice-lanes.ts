import type { ActivityListener } from '../telemetry/activity-listener.ts'

/** The lanes of notices have their own few slots, so a notice never waits for an event. */
export const NOTICE_LIMITS = {
  maxInFlight: 16,
  laneConcurrency: 4,
  laneWindow: 64,
  maxInMemory: 4_096,
}

/** Every webhook may hold data of the user (spec 02 §Deletion notice). */
export const NOTICE_POLICY = 'each'

/** What the record of a notice is reported as: statistics and health count events only. */
export function noticeActivity(
  activity: Pick<ActivityListener, 'updated'>,
): Pick<ActivityListener, 'recorded'> {
  return {
    recorded: ({ isEnd }) => {
      if (isEnd) activity.updated({ resource: 'deletions', id: null })
    },
  }
}
