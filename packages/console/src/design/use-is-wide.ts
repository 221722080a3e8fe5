import { useSyncExternalStore } from 'react'

const WIDE = matchMedia('(min-width: 48rem)')

function watch(watcher: () => void): () => void {
  WIDE.addEventListener('change', watcher)
  return () => WIDE.removeEventListener('change', watcher)
}

/** Whether the screen has room for what belongs together to be in one line. */
export function useIsWide(): boolean {
  return useSyncExternalStore(watch, () => WIDE.matches)
}
