import { type RefObject, useEffect, useRef, useState } from 'react'

/** Whether an element has been on screen, for lazy loading. */
export function useSeen<Shown extends HTMLElement>(): readonly [RefObject<Shown | null>, boolean] {
  const element = useRef<Shown>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((each) => each.isIntersecting)) setSeen(true)
    })
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [isSeen])
  return [element, isSeen]
}
