import { useEffect } from 'react'

let open = 0

/**
 * While a window is open, the page below does not scroll, and has no scroll bar beside the window: only the window scrolls.
 * What the bar took stays free, so that the page does not move.
 */
export function useStillPage(): void {
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
