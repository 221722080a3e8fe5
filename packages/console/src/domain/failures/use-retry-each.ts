import { useEffect, useRef, useState } from 'react'
import { counted } from '../../format/figures.ts'
import type { FailureGroup } from './failures-query.ts'
import { retryEach } from './retry-each.ts'

interface RetryingEach {
  /** Resolves to what was done, in words. */
  readonly run: () => Promise<string>
  /** How many are done; `undefined` before it began. */
  readonly done: number | undefined
}

/** Retries each delivery of a group. It ends when the component leaves the screen: what is retried stays so. */
export function useRetryEach(group: FailureGroup): RetryingEach {
  const [done, setDone] = useState<number>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const run = async (): Promise<string> => {
    stop.current = new AbortController()
    setDone(0)
    const { done: all, refused } = await retryEach(group, stop.current.signal, (progress) =>
      setDone(progress.done + progress.refused),
    )
    const said = `${counted(all, 'delivery is', 'deliveries are')} tried again now.`
    return refused === 0 ? said : `${said} ${refused} are held or removed.`
  }
  return { run, done }
}
