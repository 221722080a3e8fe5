import type { ReactElement, ReactNode } from 'react'

interface FigureProps {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

export function Figure({ label, value, note }: FigureProps): ReactElement {
  return (
    <div className="bg-surface border-line rounded-panel min-w-0 border px-4 py-3">
      <dt className="text-ink-faint text-dense">{label}</dt>
      <dd className="text-figure font-semibold tracking-tight tabular-nums">{value}</dd>
      <dd className="text-ink-faint text-note min-h-4.5">{note}</dd>
    </div>
  )
}
