import type { Deletion } from '@hookline/cli/management-client'
import type { Tone } from '../../design/state-badge.tsx'
import { countText } from '../../format/figures.ts'

export interface ShownState {
  readonly tone: Tone
  readonly icon?: 'warning'
  readonly words: string
}

/** Final: nothing is retried. */
const PARTIAL = { tone: 'retrying', icon: 'warning' } as const

type Notification = Deletion['notifications'][number]

export function shownState(deletion: Deletion): ShownState {
  const { state, purgedAt, notifications } = deletion
  if (state === 'queued') return { tone: 'waiting', words: 'Queued' }
  if (purgedAt === null) return { tone: 'waiting', words: 'Deleting' }
  if (state === 'running') return { tone: 'waiting', words: 'Deleted, notifying' }
  if (notifications.length === 0) return { tone: 'delivered', words: 'Deleted' }
  if (state === 'finished') return { tone: 'delivered', words: 'Deleted, all notified' }
  return { ...PARTIAL, words: 'Deleted, partially notified' }
}

const STATUSES: Readonly<Record<Notification['status'], ShownState>> = {
  pending: { tone: 'waiting', words: 'Pending' },
  delivered: { tone: 'delivered', words: 'Notified' },
  partial: { ...PARTIAL, words: 'Partially notified' },
  failed: { tone: 'failed', words: 'Not notified' },
}

/** A notice fails if one webhook rejects it: other webhooks of the destination may have accepted it. */
export function shownStatus({ status }: Pick<Notification, 'status'>, webhooks = 1): ShownState {
  return STATUSES[status === 'failed' && webhooks > 1 ? 'partial' : status]
}

/** The destinations that accepted every notice: `2 of 3` */
export function notifiedOf({ notifications }: Pick<Deletion, 'notifications'>): string {
  const done = notifications.filter(({ status }) => status === 'delivered').length
  return notifications.length === 0 ? '–' : `${done} of ${notifications.length}`
}

/** `2 users, 1 anonymous ID` */
export function subjectsOf({
  users,
  anonymousUsers,
}: Pick<Deletion, 'users' | 'anonymousUsers'>): string {
  const parts = [
    users > 0 && countText(users, 'user'),
    anonymousUsers > 0 && countText(anonymousUsers, 'anonymous ID'),
  ]
  return parts.filter(Boolean).join(', ')
}

const POLL_MS = 1_000
const SLOW_POLL_MS = 15_000
const RECENT_MS = 5 * 60_000

/** Slower after a few minutes: notices may be retried for days. */
export function refetchMsOf(deletion: Deletion | undefined, now: number): number | false {
  if (deletion === undefined || deletion.state === 'finished' || deletion.state === 'partial')
    return false
  return now - Date.parse(deletion.createdAt) < RECENT_MS ? POLL_MS : SLOW_POLL_MS
}
