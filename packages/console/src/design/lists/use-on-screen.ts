import { type RefObject, useEffect, useRef, useState } from 'react'

interface OnScreenOptions {
  /** Stays `true` once the element has been on screen. */
  readonly once?: boolean
}

/** Whether an element is near the viewport, for lazy loading. */
export function useOnScreen<Each extends Element>({
  once = false,
}: OnScreenOptions = {}): readonly [RefObject<Each | null>, boolean] {
  const element = useRef<Each>(null)
  const [isOnScreen, setOnScreen] = useState(false)
  const isDone = once && isOnScreen
  useEffect(() => {
    if (isDone) return
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)!.isIntersecting),
      { rootMargin: '200px' },
    )
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [isDone])
  return [element, isOnScreen]
}
