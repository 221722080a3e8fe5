import { useSyncExternalStore } from 'react'

const WIDE = matchMedia('(min-width: 48rem)')

function watch(watcher: () => void): () => void {
  WIDE.addEventListener('change', watcher)
  return () => WIDE.removeEventListener('change', watcher)
}

export function useIsWide(): boolean {
  return useSyncExternalStore(watch, () => WIDE.matches)
}
