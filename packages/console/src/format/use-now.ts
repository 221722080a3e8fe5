import { useSyncExternalStore } from 'react'

const TICK_MS = 1_000
const watchers = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** The current time, updated each second for all components at once. */
export function useNow(): number {
  return useSyncExternalStore(watch, nowToTheSecond)
}

/** Ticks stop without subscribers and while the machine sleeps. */
function nowToTheSecond(): number {
  const exact = Date.now()
  if (Math.abs(exact - now) > TICK_MS) now = exact
  return now
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of watchers) each()
  }, TICK_MS)
  return () => {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
