import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { counted } from '../../format/figures.ts'
import type { FailureGroup } from './failures-query.ts'

const PAGE_SIZE = 100
const CONCURRENCY = 4
/** One webhook's last attempt had this class; another webhook may have ended the delivery. */
const NOT_FAILED: ReadonlySet<string> = new Set(['delivered', 'declined'])

type Query = NonNullable<Parameters<typeof api.listDeliveries>[0]>

interface Progress {
  readonly retried: number
  /** The responses for deliveries that are held or cannot be retried any more. */
  readonly refusals: readonly unknown[]
}

interface RetryEach {
  /** Resolves to a summary. Rejects if every delivery is refused. */
  readonly run: () => Promise<string>
  /** `undefined` before it starts. */
  readonly done: number | undefined
}

/** Retries each delivery of a group until the component unmounts. */
export function useRetryEach(group: FailureGroup): RetryEach {
  const [done, setDone] = useState<number>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const run = async (): Promise<string> => {
    controller.current = new AbortController()
    setDone(0)
    const { retried, refusals } = await retryEach(group, controller.current.signal, setDone)
    if (retried === 0 && refusals.length > 0) throw refusals[0]
    const summary = `Retrying ${counted(retried, 'delivery', 'deliveries')}.`
    return refusals.length === 0
      ? summary
      : `${summary} Skipped because they are held or deleted: ${refusals.length}.`
  }
  return { run, done }
}

async function retryEach(
  group: FailureGroup,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Progress> {
  let retried = 0
  const refusals: unknown[] = []
  for await (const ids of pagesOf(group, signal)) {
    const work = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
        signal.throwIfAborted()
        const refusal = await retryOne(id, signal)
        if (refusal === undefined) retried += 1
        else refusals.push(refusal)
        onProgress(retried + refusals.length)
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
    const page: Awaited<ReturnType<typeof api.listDeliveries>> = await api.listDeliveries(
      { ...query, ...(cursor !== null && { cursor }) },
      { signal },
    )
    yield page.data.filter(({ state }) => !NOT_FAILED.has(state)).map(({ id }) => id)
    cursor = page.nextCursor
  } while (cursor !== null)
}

/** Returns the refusal if the delivery is held or was removed: the others can still be retried. */
async function retryOne(id: string, signal: AbortSignal): Promise<unknown> {
  try {
    await api.retryDelivery(id, {}, {}, { signal })
    return undefined
  } catch (error) {
    if ([404, 409].includes(problemOf(error).status)) return error
    throw error
  }
}
