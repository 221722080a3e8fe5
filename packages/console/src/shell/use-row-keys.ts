import { type RefObject, useRef } from 'react'
import { useKeys } from './keys.ts'

/**
 * `j` and `k` move the focus through the rows of a list, `/` goes to its filter. The control of each row that opens it has
 * the attribute `data-row`, so that Enter opens the row that has the focus; the filter has `data-filter`.
 */
export function useRowKeys<List extends HTMLElement>(): RefObject<List | null> {
  const list = useRef<List>(null)
  const move = (by: number): void => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    const next = at === -1 ? (by > 0 ? 0 : rows.length - 1) : at + by
    rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus()
  }
  const filter = (): void => list.current?.querySelector<HTMLElement>('[data-filter]')?.focus()
  useKeys({ j: () => move(1), k: () => move(-1), '/': filter })
  return list
}
