import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { counted } from '../../format/figures.ts'
import type { FailureGroup } from './failures-query.ts'

/** The limit of deliveries to retry one by one. Replays handle more. */
export const MAX_RETRIES = 500

const PAGE_SIZE = 100
const CONCURRENCY = 4
/** One webhook's last attempt had this class; another webhook may have ended the delivery. */
const NOT_FAILED: ReadonlySet<string> = new Set(['delivered', 'declined'])

type Query = NonNullable<Parameters<typeof api.listDeliveries>[0]>

interface Progress {
  readonly retried: number
  /** Held or removed deliveries. */
  readonly refused: number
}

interface RetryEach {
  /** Resolves to a summary. */
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
    const { retried, refused } = await retryEach(group, controller.current.signal, setDone)
    const summary = `Retrying ${counted(retried, 'delivery', 'deliveries')}.`
    return refused === 0
      ? summary
      : `${summary} Skipped because they are held or deleted: ${refused}.`
  }
  return { run, done }
}

async function retryEach(
  group: FailureGroup,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Progress> {
  const ids = await newestOf(group, signal)
  let retried = 0
  let refused = 0
  const work = async (): Promise<void> => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      signal.throwIfAborted()
      if (await retryOne(id, signal)) retried += 1
      else refused += 1
      onProgress(retried + refused)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { retried, refused }
}

async function newestOf(group: FailureGroup, signal: AbortSignal): Promise<string[]> {
  const { destinationId, class: kind, status } = group
  const query: Query = {
    destinationId,
    $class: kind as NonNullable<Query['$class']>,
    limit: PAGE_SIZE,
    ...(status !== null && { status }),
  }
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof api.listDeliveries>> = await api.listDeliveries(
      { ...query, ...(cursor !== null && { cursor }) },
      { signal },
    )
    ids.push(...page.data.filter(({ state }) => !NOT_FAILED.has(state)).map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null && ids.length < MAX_RETRIES)
  return ids.slice(0, MAX_RETRIES)
}

async function retryOne(id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.retryDelivery(id, {}, {}, { signal })
    return true
  } catch (error) {
    // Held or removed meanwhile. The others can still be retried.
    if ([404, 409].includes(problemOf(error).status)) return false
    throw error
  }
}
