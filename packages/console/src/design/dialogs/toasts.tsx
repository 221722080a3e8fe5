import { type ReactElement, useEffect, useSyncExternalStore } from 'react'
import { Button } from '../controls/button.tsx'
import { Icon } from '../icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'done' | 'failed'
}

const SHOWN_MS = 6_000
const MAX_TOASTS = 4

let toasts: readonly Toast[] = []
let nextId = 1
const watchers = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next.slice(-MAX_TOASTS)
  for (const watcher of watchers) watcher()
}

/** Shows a message. It replaces earlier successes: “Paused” beside “Resumed” would be ambiguous. */
export function toast(text: string, tone: Toast['tone'] = 'done'): void {
  nextId += 1
  change([...toasts.filter((each) => each.tone === 'failed'), { id: nextId, text, tone }])
}

export function Toasts(): ReactElement {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => toasts,
  )
  return (
    <div
      aria-live="polite"
      className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[90vw] flex-col gap-2"
    >
      {shown.map((each) => (
        <ShownToast key={each.id} {...each} />
      ))}
    </div>
  )
}

function ShownToast({ id, text, tone }: Toast): ReactElement {
  const close = (): void => change(toasts.filter((each) => each.id !== id))
  useEffect(() => {
    const timer = setTimeout(() => change(toasts.filter((each) => each.id !== id)), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id])
  return (
    <div className="bg-surface border-line shadow-float rounded-panel text-dense flex items-start gap-2 border p-3">
      <Icon
        name={tone === 'done' ? 'check' : 'warning'}
        className={tone === 'done' ? 'text-delivered mt-0.5' : 'text-failed mt-0.5'}
      />
      <p className="min-w-0 flex-1">{text}</p>
      <Button variant="quiet" className="-my-1 min-h-6 px-1" aria-label="Close" onClick={close}>
        <Icon name="cross" className="size-3" />
      </Button>
    </div>
  )
}
