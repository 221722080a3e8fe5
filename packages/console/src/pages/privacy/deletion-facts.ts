import type { Deletion } from '@hookline/cli/management-client'
import type { Tone } from '../../design/state-badge.tsx'

/** A state in words, with its tone. */
export interface Shown {
  readonly tone: Tone
  readonly icon?: 'warning'
  readonly words: string
}

/** Nothing is tried again: a person has to look. */
const PARTLY = { tone: 'retrying', icon: 'warning' } as const

type Notification = Deletion['notifications'][number]

/** How far a deletion is. What was deleted is said even where a receiver was not notified. */
export function shownState(deletion: Deletion): Shown {
  const { state, purgedAt, notifications } = deletion
  if (state === 'queued') return { tone: 'waiting', words: 'Queued' }
  if (purgedAt === null) return { tone: 'waiting', words: 'Deleting' }
  if (state === 'running') return { tone: 'waiting', words: 'Deleted, notifying' }
  if (notifications.length === 0) return { tone: 'delivered', words: 'Deleted' }
  if (state === 'finished') return { tone: 'delivered', words: 'Deleted, all notified' }
  return { ...PARTLY, words: 'Deleted, not all notified' }
}

const STATUSES: Readonly<Record<Notification['status'], Shown>> = {
  pending: { tone: 'waiting', words: 'Waiting' },
  delivered: { tone: 'delivered', words: 'Notified' },
  partial: { ...PARTLY, words: 'Partly notified' },
  failed: { tone: 'failed', words: 'Not notified' },
}

/**
 * Whether a destination was notified. A notice fails when one webhook of the destination did not accept it, so with several
 * webhooks the others may well have it.
 */
export function shownStatus({ status }: Pick<Notification, 'status'>, webhooks = 1): Shown {
  if (status === 'failed' && webhooks > 1) return { ...PARTLY, words: 'Not by every webhook' }
  return STATUSES[status]
}

/** `2 of 3`: how many destinations have every notice. */
export function notifiedOf({ notifications }: Pick<Deletion, 'notifications'>): string {
  const done = notifications.filter(({ status }) => status === 'delivered').length
  return notifications.length === 0 ? '–' : `${done} of ${notifications.length}`
}

/** `2 users, 1 anonymous id` */
export function subjectsOf({
  users,
  anonymousUsers,
}: Pick<Deletion, 'users' | 'anonymousUsers'>): string {
  const parts = [
    users > 0 ? `${users} ${users === 1 ? 'user' : 'users'}` : '',
    anonymousUsers > 0 ? `${anonymousUsers} anonymous ${anonymousUsers === 1 ? 'id' : 'ids'}` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

const SOON_MS = 1_000
const LATER_MS = 15_000
const FRESH_MS = 5 * 60_000

/** When to look again. A notice may be retried for days: the page then looks less often. */
export function lookAgainMs(deletion: Deletion | undefined, now: number): number | false {
  if (deletion === undefined || deletion.state === 'finished' || deletion.state === 'partial')
    return false
  return now - Date.parse(deletion.createdAt) < FRESH_MS ? SOON_MS : LATER_MS
}
