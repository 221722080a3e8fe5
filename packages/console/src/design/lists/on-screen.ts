import { type RefObject, useEffect, useRef, useState } from 'react'

/** Whether an element is near the viewport, for lazy loading. */
export function useOnScreen<Each extends Element>(): readonly [RefObject<Each | null>, boolean] {
  const element = useRef<Each>(null)
  const [isOnScreen, setOnScreen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)!.isIntersecting),
      { rootMargin: '200px' },
    )
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return [element, isOnScreen]
}
