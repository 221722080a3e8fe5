import { useSyncExternalStore } from 'react'

const TICK_MS = 1_000
const watchers = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** The time, to the second. All relative times on screen change together. */
export function useNow(): number {
  return useSyncExternalStore(watch, nowToTheSecond)
}

/** The ticks stop while no time is on screen, and while the machine sleeps: what is shown first after that is not late. */
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
