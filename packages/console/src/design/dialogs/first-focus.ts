import { type RefObject, useEffect, useRef } from 'react'

const FIELD = 'input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled)'
/** The control that gets the focus in dialogs without fields. */
const CONTROL = 'form button:not(:disabled), nav a'

/**
 * Focuses the first field of a dialog, unless `autoFocus` chose another; else the first form button or navigation link, else
 * Close (by Radix).
 * A field that loads later gets the focus unless the user has already done something.
 */
export function useFirstFocus(content: RefObject<HTMLElement | null>): (event: Event) => void {
  const waiting = useRef<AbortController>(undefined)
  useEffect(() => () => waiting.current?.abort(), [])
  return (event) => {
    const first = firstOf(content.current, FIELD) ?? firstOf(content.current, CONTROL)
    if (first !== undefined) event.preventDefault()
    first?.focus()
    if (first?.matches(FIELD) !== true) waiting.current = focusLater(content.current)
  }
}

function firstOf(content: HTMLElement | null, selector: string): HTMLElement | undefined {
  const all = content?.querySelectorAll<HTMLElement>(selector) ?? []
  // Elements in a closed <details> cannot be focused.
  return [...all].find((each) => each.checkVisibility())
}

function focusLater(content: HTMLElement | null): AbortController {
  const ended = new AbortController()
  const observer = new MutationObserver(() => {
    const field = firstOf(content, FIELD)
    if (field === undefined) return
    if (content?.contains(document.activeElement) !== true) field.focus()
    ended.abort()
  })
  const { signal } = ended
  signal.addEventListener('abort', () => observer.disconnect())
  for (const what of ['keydown', 'pointerdown'])
    document.addEventListener(what, () => ended.abort(), { signal, capture: true })
  if (content !== null) observer.observe(content, { childList: true, subtree: true })
  return ended
}
