import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { countText, wholeNumber } from '../../format/figures.ts'
import type { FailureGroup } from './failures-query.ts'

const PAGE_SIZE = 100
const CONCURRENCY = 4
/**
 * The states of deliveries that did not fail. They are listed as well, because the class is from the last attempt to one
 * webhook, and another may have accepted the delivery.
 */
const NOT_FAILED: ReadonlySet<string> = new Set(['delivered', 'declined'])

type Query = NonNullable<Parameters<typeof api.listDeliveries>[0]>

interface Progress {
  readonly retried: number
  /** The refusals for deliveries that are held or can no longer be retried. */
  readonly refusals: { readonly first: unknown; readonly count: number }
}

interface RetryEach {
  /** Resolves to a summary. Rejects if every delivery is refused, or at the first other error. */
  readonly run: () => Promise<string>
  /** `undefined` before it starts. */
  readonly done: number | undefined
}

/** Retries each delivery of a group until the component unmounts. */
export function useRetryEach(group: FailureGroup): RetryEach {
  const client = useQueryClient()
  const [done, setDone] = useState<number>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const run = async (): Promise<string> => {
    const own = new AbortController()
    controller.current = own
    setDone(0)
    try {
      return summaryOf(await retryEach(group, own.signal, setDone))
    } finally {
      // After an error, the other requests stop as well.
      own.abort()
      void client.invalidateQueries({ queryKey: ['deliveries'] })
    }
  }
  return { run, done }
}

function summaryOf({ retried, refusals: { first, count } }: Progress): string {
  if (retried === 0 && count > 0) throw first
  const summary = `Retrying ${countText(retried, 'delivery', 'deliveries')}. A delivery leaves the list of failures once it succeeds.`
  return count === 0 ? summary : `${summary} ${wholeNumber(count)} skipped (held or deleted).`
}

async function retryEach(
  group: FailureGroup,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Progress> {
  let retried = 0
  let refusals: Progress['refusals'] = { first: undefined, count: 0 }
  for await (const ids of pagesOf(group, signal)) {
    const work = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
        signal.throwIfAborted()
        const refusal = await retryOne(id, signal)
        if (refusal === undefined) retried += 1
        else refusals = { first: refusals.first ?? refusal, count: refusals.count + 1 }
        onProgress(retried + refusals.count)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
  }
  return { retried, refusals }
}

/** The ids of all deliveries of the group, newest first. */
async function* pagesOf(group: FailureGroup, signal: AbortSignal): AsyncGenerator<string[]> {
  const { destinationId, class: kind, status } = group
  const query: Query = {
    destinationId,
    $class: kind as NonNullable<Query['$class']>,
    limit: PAGE_SIZE,
    ...(status !== null && { status }),
  }
  let cursor: string | null = null
  do {
    const next: Query = { ...query, ...(cursor !== null && { cursor }) }
    const page: Awaited<ReturnType<typeof api.listDeliveries>> = await withinRateLimit(
      () => api.listDeliveries(next, { signal }),
      signal,
    )
    yield page.data.filter(({ state }) => !NOT_FAILED.has(state)).map(({ id }) => id)
    cursor = page.nextCursor
  } while (cursor !== null)
}

/** Returns the refusal if the delivery is held or was removed: the others can still be retried. */
async function retryOne(id: string, signal: AbortSignal): Promise<unknown> {
  try {
    await withinRateLimit(() => api.retryDelivery(id, {}, {}, { signal }), signal)
    return undefined
  } catch (error) {
    if ([404, 409].includes(problemOf(error).status)) return error
    throw error
  }
}

/** Repeats a request while the service responds with 429. */
async function withinRateLimit<Result>(
  request: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      const { status, retryAfterSeconds = 1 } = problemOf(error)
      if (status !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1_000))
      signal.throwIfAborted()
    }
  }
}
