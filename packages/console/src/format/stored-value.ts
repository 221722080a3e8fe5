import { useSyncExternalStore } from 'react'

export interface StoredValue<Value> {
  readonly useValue: () => Value
  readonly get: () => Value
  readonly set: (next: Value & string) => void
}

/** A value in local storage. If the browser blocks storage, it lasts until the tab is closed. */
export function storedValue<Value>(
  key: string,
  parse: (stored: string | null) => Value,
): StoredValue<Value> {
  const watchers = new Set<() => void>()
  let value = parse(read(key))
  const watch = (watcher: () => void): (() => void) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }
  return {
    useValue: () => useSyncExternalStore(watch, () => value),
    get: () => value,
    set: (next) => {
      value = next
      try {
        localStorage.setItem(key, next)
      } catch {
        // Storage is blocked or full.
      }
      for (const watcher of watchers) watcher()
    },
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
