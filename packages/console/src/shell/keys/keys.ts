import { useEffect, useEffectEvent } from 'react'

/** Whether the key is for an input or a dialog. */
function isWriting({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [role=dialog]') !== null
  )
}

type Keys = Readonly<Record<string, (() => void) | undefined>>

/** Binds single keys, named as in `KeyboardEvent.key`. `key-help.tsx` lists them. */
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
