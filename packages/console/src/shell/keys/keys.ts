import { useEffect, useEffectEvent } from 'react'

/** Whether a key that is pressed now writes text, or belongs to a control. */
function isWriting({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [role=dialog]') !== null
  )
}

type Keys = Readonly<Record<string, (() => void) | undefined>>

/**
 * Does something when a key is pressed, unless a person is writing, or a window is open. Keys are as in `KeyboardEvent.key`.
 * The list of all of them is in `key-help.tsx`.
 */
export function useKeys(keys: Keys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return
    const action = keys[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
