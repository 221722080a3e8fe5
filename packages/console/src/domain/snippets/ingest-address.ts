import { useSyncExternalStore } from 'react'
import { useCallsUrl } from '../calls-url.ts'
import { addressOf } from './address.ts'

const KEY = 'hookline-ingest-address'
const watchers = new Set<() => void>()

function read(): string | undefined {
  try {
    return addressOf(localStorage.getItem(KEY) ?? '')
  } catch {
    return undefined
  }
}

let written = read()

/** Where applications reach the ingestion API: with a proxy in between, only a person knows. What one writes is kept in this browser. */
export function useIngestAddress(): string {
  const { url } = useCallsUrl()
  return useSyncExternalStore(watch, () => written) ?? url
}

export function setIngestAddress(next: string): void {
  written = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // A browser that keeps nothing has the address until the tab is closed.
  }
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
