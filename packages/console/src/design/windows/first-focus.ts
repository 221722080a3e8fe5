import { type RefObject, useEffect, useRef } from 'react'

const FIELD = 'input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled)'
/** Where a window asks without a field, or leads to pages. */
const CONTROL = 'form button:not(:disabled), nav a'

/**
 * Puts the focus of a window that opens into its first field, unless React's `autoFocus` has chosen another one. Without a
 * field it is at the first button of a form, and else where Radix puts it: at Close. A field that comes later, because its
 * content was fetched, gets the focus too, as long as nothing has been done in the window.
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
  // What is folded cannot have the focus.
  return [...all].find((each) => each.checkVisibility())
}

/** Waits for a field, until the person presses a key or a button. */
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
