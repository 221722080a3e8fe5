import { useSyncExternalStore } from 'react'
import { SERVICE_URL } from '../../api/base.ts'
import { addressOf } from './address.ts'

const KEY = 'hookline-ingest-address'
const watchers = new Set<() => void>()

/** The address of the console. With a proxy in between, or with `adminPort`, applications may need another one. */
const OWN = SERVICE_URL.replace(/\/$/, '')

function read(): string {
  try {
    return addressOf(localStorage.getItem(KEY) ?? '') ?? OWN
  } catch {
    return OWN
  }
}

let address = read()

/** Where applications reach the ingestion API. Kept in this browser once a person has changed it. */
export function useIngestAddress(): string {
  return useSyncExternalStore(watch, () => address)
}

export function setIngestAddress(next: string): void {
  address = next
  try {
    if (next === OWN) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // A browser that keeps nothing has the address until the tab is closed.
  }
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
