import { useKeys } from './keys.ts'

/**
 * `j` and `k` move the focus through rows: links or buttons, or elements that contain one, with `data-row` from 0.
 * @param onMove called first, for virtual lists
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

/** `/` focuses the input with `data-filter`. */
export function useFilterKey(): void {
  useKeys({ '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus() })
}

/** -1 if no row has the focus. */
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
