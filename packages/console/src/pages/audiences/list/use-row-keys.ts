import { useState } from 'react'
import { useKeys } from '../../../shell/keys.ts'

/** `j`, `k` and Enter in a list. Returns the index of the current row; −1 for none. */
export function useRowKeys(count: number, onOpen: (index: number) => void): number {
  const [current, setCurrent] = useState(-1)
  const isRow = current >= 0 && current < count
  useKeys({
    j: () => setCurrent(Math.min(count - 1, current + 1)),
    k: () => setCurrent(Math.max(0, current - 1)),
    Enter: isRow && !isOnControl() ? () => onOpen(current) : undefined,
  })
  return current
}

/** Enter belongs to the link or the button that has the focus. */
function isOnControl(): boolean {
  return document.activeElement?.closest('a, button') != null
}
