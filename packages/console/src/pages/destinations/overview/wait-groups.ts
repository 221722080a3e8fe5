import type { Delivery } from '@hookline/cli/management-client'

type Waiting = NonNullable<Delivery['webhooks'][number]['waiting']>

/** A reason for which deliveries wait at one webhook. */
interface WaitGroup {
  readonly key: string
  readonly url: string
  readonly waiting: Waiting
  /** The earliest of them; `null` while somebody must end the cause. */
  readonly nextAttemptAt: string | null
}

/** The different reasons for which deliveries wait. */
export function waitGroups(deliveries: readonly Delivery[]): WaitGroup[] {
  const groups = new Map<string, WaitGroup>()
  for (const { url, waiting } of deliveries.flatMap(({ webhooks }) => webhooks)) {
    if (waiting === null) continue
    const key = `${waiting.reason} ${url}`
    const before = groups.get(key)?.nextAttemptAt ?? null
    const next = waiting.nextAttemptAt
    const nextAttemptAt = before === null || (next !== null && next < before) ? next : before
    groups.set(key, { key, url, waiting, nextAttemptAt })
  }
  return [...groups.values()]
}
