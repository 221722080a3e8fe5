/** Lost data first, then current failures, then future problems. */
export const SEVERITIES = ['data_loss', 'failing', 'attention'] as const

type Severity = (typeof SEVERITIES)[number]

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The numbers in the thresholds of `CONDITIONS`. */
export const THRESHOLDS = {
  /** A refused call counts as current for this long. */
  refusedMs: HOUR_MS,
  /** A rejected delivery counts as current for this long. */
  rejectedMs: HOUR_MS,
  /** Counts of lost calls and deliveries cover this period. */
  lostMs: DAY_MS,
  corruptionMs: 30 * DAY_MS,
  /** A destination that has delivered nothing in this time, but has a failed attempt, is failing. */
  noSuccessMs: HOUR_MS,
  /** The success rate covers this period, so that a recovery counts within minutes. */
  recentMs: 5 * MINUTE_MS,
  /** After this time without a failed attempt, a success means that the destination works again. */
  recoveredMs: 30_000,
  minAttempts: 10,
  minSuccessRate: 0.5,
  /** This many failed attempts since the last success are a problem. */
  failuresInRow: 3,
  maxWaitMs: 10 * MINUTE_MS,
  expiringMs: HOUR_MS,
  /** Less free space than this is a problem. 2 GiB is enough for an hour of 300 calls per second. */
  minFreeBytes: 2 * 1024 ** 3,
  /** The free share that is enough on disks smaller than 20 GiB. */
  minFreeShare: 0.1,
  maxBackupAgeMs: 2 * DAY_MS,
  certificateMs: 30 * DAY_MS,
} as const

/**
 * The maximum number of destinations checked: those with lost deliveries first, then those with failures, then those with
 * the largest backlogs.
 */
export const MAX_DESTINATIONS = 500

export interface Condition {
  readonly severity: Severity
  /** The names of the alert events; `null`: the condition is shown, but not sent. Without `end`, the end is not sent. */
  readonly events: { readonly start: string; readonly end?: string } | null
  /** When the condition applies. */
  readonly threshold: string
  readonly meaning: string
  readonly remedy: string
}

/**
 * All conditions that need attention, worst first. Alerts, “Needs attention” in the console,
 * `hookline doctor`, the metric `hookline_problems` and deploy/alerts.yaml use this table.
 */
export const CONDITIONS = {
  calls_refused: {
    severity: 'data_loss',
    events: { start: 'Calls Refused' },
    threshold: `A call to a disabled source was refused in the last ${hours(THRESHOLDS.refusedMs)}.`,
    meaning: 'Clients are sending calls to a disabled source. These calls are lost.',
    remedy: 'Enable the source, or stop the client.',
  },
  deliveries_expired: {
    severity: 'data_loss',
    events: { start: 'Deliveries Expired' },
    threshold: `A delivery expired in the last ${hours(THRESHOLDS.lostMs)} and has not been replayed.`,
    meaning: 'The retry window ended before the receiver accepted the events.',
    remedy: "Fix the receiver, then replay the destination's failed deliveries.",
  },
  deliveries_rejected: {
    severity: 'data_loss',
    events: null,
    threshold: `A delivery was rejected in the last ${hours(THRESHOLDS.rejectedMs)} and has not been replayed.`,
    meaning:
      'A receiver rejected events for good, or Hookline could not send them. Hookline does not try again.',
    remedy:
      "Fix the receiver, the URL or the transform, then replay the destination's failed deliveries.",
  },
  damage_found: {
    severity: 'data_loss',
    events: { start: 'Damage Found' },
    threshold: `Corrupted or missing data was found in the last ${days(THRESHOLDS.corruptionMs)}, or events are missing between log, pipeline and tables.`,
    meaning: 'Stored data is corrupted or missing.',
    remedy: 'Check the disk. If you have a backup, check it for the lost rows.',
  },
  quarantine: {
    severity: 'data_loss',
    events: { start: 'Quarantine', end: 'Quarantine' },
    threshold: 'An event or a delivery is in quarantine.',
    meaning:
      'Events or deliveries were stopped by a bug in Hookline or by corrupted data, or came from an unknown source.',
    remedy:
      'Look for quarantine.added in the log. After data corruption, retry the deliveries. If it was a bug, report it, and retry after upgrading to a version with the fix.',
  },
  check_failed: {
    severity: 'failing',
    events: null,
    threshold: 'A /readyz check fails.',
    meaning: 'The service is not ready.',
    remedy: 'Check the log, and run hookline doctor.',
  },
  disk_low: {
    severity: 'failing',
    events: { start: 'Disk Low', end: 'Disk Low' },
    threshold: `The data disk has less than ${THRESHOLDS.minFreeBytes / 1024 ** 3} GiB, and less than ${THRESHOLDS.minFreeShare * 100}% of its capacity, free.`,
    meaning: 'The data disk is almost full. When it is full, calls are rejected.',
    remedy:
      'Free some space or enlarge the disk; or lower retention or set retentionMaxBytes, then restart.',
  },
  deliveries_expiring: {
    severity: 'failing',
    events: { start: 'Deliveries Expiring' },
    threshold: `The oldest pending delivery expires within ${minutes(THRESHOLDS.expiringMs)}, or within half of its retry window if that is shorter.`,
    meaning:
      'Pending deliveries are about to expire. Expired deliveries are lost unless they are replayed.',
    remedy:
      'Fix the receiver. If you cannot fix it in time, pause the destination: held deliveries do not expire.',
  },
  webhook_failing: {
    severity: 'failing',
    events: { start: 'Webhook Failing', end: 'Webhook Recovered' },
    threshold: `A breaker is open; or no attempt in the last ${hours(THRESHOLDS.noSuccessMs)} succeeded and at least one failed; or the last ${THRESHOLDS.failuresInRow} attempts failed; or fewer than ${THRESHOLDS.minSuccessRate * 100}% of at least ${THRESHOLDS.minAttempts} attempts in the last ${minutes(THRESHOLDS.recentMs)} succeeded.`,
    meaning:
      'A destination is not receiving all of its events. Deliveries are retried, unless the response is final.',
    remedy: "Send a test to see the receiver's response.",
  },
  deliveries_late: {
    severity: 'failing',
    events: null,
    threshold: `A webhook has a pending event that was received more than ${minutes(THRESHOLDS.maxWaitMs)} ago.`,
    meaning:
      'Events are arriving faster than they can be delivered, a retry is pending, or past events are being replayed.',
    remedy: 'The list of deliveries shows the reason and the next attempt for each delivery.',
  },
  webhook_paused: {
    severity: 'failing',
    events: { start: 'Webhook Paused', end: 'Webhook Paused' },
    threshold:
      'Hookline paused a webhook: its receiver responded with 410 three times in a row or with webhook-delivery: disable, or its URL is forbidden.',
    meaning:
      "The webhook's deliveries are held. If its URL is forbidden, they fail when their retry window ends.",
    remedy: 'Correct the URL, remove the webhook, or resume the destination.',
  },
  write_key_unknown: {
    severity: 'attention',
    events: { start: 'Write Key Unknown' },
    threshold: `A call with a missing or unknown write key was refused in the last ${hours(THRESHOLDS.refusedMs)}.`,
    meaning: 'A client has the wrong write key, or a scanner is sending requests.',
    remedy: 'If it is your client, use the write key of an existing source.',
  },
  rate_limit_exceeded: {
    severity: 'attention',
    events: { start: 'Rate Limit Exceeded' },
    threshold: `A source exceeded its rate limit in the last ${hours(THRESHOLDS.refusedMs)}.`,
    meaning:
      'Calls are being refused with 429. Most client libraries retry them; the others lose them.',
    remedy: "Raise the source's rate limit, or send calls more slowly.",
  },
  sync_missed: {
    severity: 'attention',
    events: { start: 'Sync Missed' },
    threshold: 'The last full sync of an audience or computed trait found missed changes.',
    meaning: 'Real-time evaluation missed changes. The sync has sent them.',
    remedy: 'This is a bug in Hookline: report it with the log line sync.finished.',
  },
  node_lost: {
    severity: 'attention',
    events: { start: 'Node Lost', end: 'Node Lost' },
    threshold: 'In the last 10 minutes, a node stopped responding without leaving the cluster.',
    meaning: 'A node is not responding. Other nodes take over its work.',
    remedy: "Check the node's machine and log, and start it again.",
  },
  certificate_expiring: {
    severity: 'attention',
    events: { start: 'Certificate Expiring', end: 'Certificate Expiring' },
    threshold: `The client certificate of a webhook has expired, or expires within ${days(THRESHOLDS.certificateMs)}.`,
    meaning:
      'The client certificate of a webhook has expired or will expire soon. Receivers refuse an expired one.',
    remedy: 'Set a new certificate with its key.',
  },
  retry_window_too_long: {
    severity: 'attention',
    events: null,
    threshold: 'The retry window of a webhook is as long as retention, or longer.',
    meaning:
      'Retention may remove an event as soon as its delivery expires, so it cannot be replayed.',
    remedy: 'Set a shorter retry window, or increase the retention setting.',
  },
  backup_old: {
    severity: 'attention',
    events: { start: 'Backup Old', end: 'Backup Old' },
    threshold: `The last backup is older than ${days(THRESHOLDS.maxBackupAgeMs)}.`,
    meaning: 'The newest backup does not contain recent events and changes.',
    remedy: 'Check the job that makes the backups.',
  },
  destinations_skipped: {
    severity: 'attention',
    events: null,
    threshold: `More than ${MAX_DESTINATIONS} destinations are paused, or have failures, a backlog, a client certificate or too long a retry window.`,
    meaning: 'Some destinations are not being checked.',
    remedy: 'Fix the problems that are listed. The other destinations are checked after that.',
  },
  check_warning: {
    severity: 'attention',
    events: null,
    threshold: 'A /readyz check passes with a warning.',
    meaning: 'The service is ready, but something is unusual.',
    remedy: 'Check the log, and run hookline doctor.',
  },
  deliveries_held: {
    severity: 'attention',
    events: null,
    threshold:
      'An operator paused a destination or webhook, or a disabled destination has undelivered events.',
    meaning: 'Deliveries wait, and do not expire until the destination is resumed or enabled.',
    remedy: 'Resume the destination, or enable it if it is disabled.',
  },
  receiver_throttles: {
    severity: 'attention',
    events: null,
    threshold:
      'Deliveries are pending because the receiver sent Retry-After or the request for an access token failed.',
    meaning:
      'Deliveries are waiting for as long as the receiver requested, or until Hookline requests an access token again.',
    remedy:
      "To retry immediately, use “Retry now” on the destination's page in the console, or hookline destinations close-breaker.",
  },
  ids_unlinked: {
    severity: 'attention',
    events: null,
    threshold: `A call in the last ${hours(THRESHOLDS.lostMs)} had a placeholder id, or an id beyond the limit per profile.`,
    meaning: "Ids were not linked to their user's profile.",
    remedy:
      'Change the client to omit unknown ids instead of sending placeholders, which are never linked.',
  },
} as const satisfies Record<string, Condition>

export type ConditionName = keyof typeof CONDITIONS

const NAMES = Object.keys(CONDITIONS) as ConditionName[]

/** Compares two conditions: the worse one first. */
export function bySeverity(a: ConditionName, b: ConditionName): number {
  return NAMES.indexOf(a) - NAMES.indexOf(b)
}

function minutes(ms: number): string {
  return `${ms / MINUTE_MS} minutes`
}

function hours(ms: number): string {
  return ms === HOUR_MS ? 'hour' : `${ms / HOUR_MS} hours`
}

function days(ms: number): string {
  return `${ms / DAY_MS} days`
}
