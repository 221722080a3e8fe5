import { api } from '../../api/client.ts'
import type { FailureGroup } from './failures-query.ts'

/** Deliveries that one click retries one by one. More are a job for a replay, which the service does by itself. */
export const MOST_RETRIED = 500

const PAGE = 100
const AT_ONCE = 4

type Query = NonNullable<Parameters<typeof api.listDeliveries>[0]>

interface Progress {
  readonly done: number
  /** Those that were refused: they are held, or retention has removed their event. */
  readonly refused: number
}

/** The ids of the deliveries of a group, newest first, as many as one click retries. */
async function idsOf(group: FailureGroup, signal: AbortSignal): Promise<string[]> {
  const { destinationId, class: kind, status } = group
  const query: Query = {
    destinationId,
    $class: kind as NonNullable<Query['$class']>,
    limit: PAGE,
    ...(status !== null && { status }),
  }
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof api.listDeliveries>> = await api.listDeliveries(
      { ...query, ...(cursor !== null && { cursor }) },
      { signal },
    )
    ids.push(...page.data.filter(({ state }) => state !== 'delivered').map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null && ids.length < MOST_RETRIED)
  return ids.slice(0, MOST_RETRIED)
}

/** Retries each delivery of a group, a few at once, until all are done or `signal` ends it. */
export async function retryEach(
  group: FailureGroup,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const waiting = await idsOf(group, signal)
  let progress: Progress = { done: 0, refused: 0 }
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      signal.throwIfAborted()
      const isDone = await retried(id, signal)
      const { done, refused } = progress
      progress = isDone ? { done: done + 1, refused } : { done, refused: refused + 1 }
      onProgress(progress)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return progress
}

async function retried(id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.retryDelivery(id, {}, {}, { signal })
    return true
  } catch (error) {
    const status = (error as { status?: number }).status
    // Another state than expected, or removed: the others can be retried all the same.
    if (status === 409 || status === 404) return false
    throw error
  }
}
