import { useEffect } from 'react'

let open = 0

/** Stops the page from scrolling while a dialog is open. The padding replaces the scroll bar, so that nothing moves. */
export function useScrollLock(): void {
  useEffect(() => {
    const { documentElement: root, body } = document
    open += 1
    if (open === 1) {
      body.style.paddingRight = `${innerWidth - root.clientWidth}px`
      root.style.overflowY = 'hidden'
    }
    return () => {
      open -= 1
      if (open > 0) return
      body.style.paddingRight = ''
      root.style.overflowY = ''
    }
  }, [])
}
