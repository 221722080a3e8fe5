import { useKeys } from './keys.ts'

/**
 * `j` and `k` move the focus through the rows of a list: elements with `data-row`, numbered from 0. Such an element is a link
 * or a button, or has one. Enter then opens the row, as the browser does for every link.
 * @param onMove called first, for a list that draws only the rows on screen
 */
export function useRowKeys(count: number, onMove?: (index: number) => void): void {
  const move = (step: number): void => {
    if (count === 0) return
    const next = Math.max(0, Math.min(count - 1, focusedRow() + step))
    onMove?.(next)
    if (!focusRow(next)) requestAnimationFrame(() => focusRow(next))
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
}

/** `/` goes to the filter of the page: the input with `data-filter`. */
export function useFilterKey(): void {
  useKeys({ '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus() })
}

/** The number of the row that has the focus; -1 where none has. */
function focusedRow(): number {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]')
  return row === null || row === undefined ? -1 : Number(row.dataset['row'])
}

function focusRow(index: number): boolean {
  const row = document.querySelector(`[data-row="${index}"]`)
  const control = row?.matches('a, button') ? row : row?.querySelector('a, button')
  if (!(control instanceof HTMLElement)) return false
  control.focus({ preventScroll: true })
  control.scrollIntoView({ block: 'nearest' })
  return true
}
