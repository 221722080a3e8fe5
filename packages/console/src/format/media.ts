import { useSyncExternalStore } from 'react'

/** A hook that returns whether a media query matches. */
export function mediaHook(query: string): () => boolean {
  const media = matchMedia(query)
  const watch = (watcher: () => void): (() => void) => {
    media.addEventListener('change', watcher)
    return () => media.removeEventListener('change', watcher)
  }
  return () => useSyncExternalStore(watch, () => media.matches)
}
