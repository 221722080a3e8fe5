import type { Delivery } from '@hookline/cli/management-client'

/** Why deliveries to one webhook are pending. */
interface WaitGroup {
  readonly key: string
  readonly url: string
  readonly waiting: NonNullable<Delivery['webhooks'][number]['waiting']>
  /** The earliest one; `null` until someone fixes the cause. */
  readonly nextAttemptAt: string | null
}

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
