import { useSyncExternalStore } from 'react'

export type Zone = 'utc' | 'local'

const KEY = 'hookline-zone'
const watchers = new Set<() => void>()

function read(): Zone {
  try {
    return localStorage.getItem(KEY) === 'local' ? 'local' : 'utc'
  } catch {
    return 'utc'
  }
}

let zone = read()

/** Whether times are shown in UTC or in the zone of the browser. Kept in this browser. */
export function useZone(): Zone {
  return useSyncExternalStore(watch, () => zone)
}

export function setZone(next: Zone): void {
  zone = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // A browser that keeps nothing shows the chosen zone until the tab is closed.
  }
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
