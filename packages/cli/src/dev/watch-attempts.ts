import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Event } from '../api/generated/management-client.ts'
import type { ManagementApi } from '../api/management-api.ts'

const POLL_MS = 300

export interface WatchedAttempt {
  readonly delivery: Delivery
  readonly attempt: Delivery['attempts'][number]
  readonly event: Event['event']
}

/** Polls for new attempts of one destination, in order, until the result is disposed of. */
export async function watchAttempts(
  api: ManagementApi,
  destinationId: string,
  onAttempt: (watched: WatchedAttempt) => void,
  onError: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  const { signal } = stopping
  let seen = new Set<string>()
  const unseen = async () => {
    const { data } = await api.listDeliveries({ destinationId, limit: 50 })
    const all = data.flatMap((delivery) =>
      delivery.attempts.map((attempt) => ({ delivery, attempt })),
    )
    const before = seen
    seen = new Set(all.map(({ attempt }) => attempt.id))
    return all
      .filter(({ attempt }) => !before.has(attempt.id))
      .toSorted((a, b) => (a.attempt.id < b.attempt.id ? -1 : 1))
  }
  await unseen()
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for (const each of await unseen())
          onAttempt({ ...each, event: (await api.getEvent(each.delivery.eventId)).event })
      } catch (error) {
        onError(error)
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }
  const watching = watch()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await watching
    },
  }
}
